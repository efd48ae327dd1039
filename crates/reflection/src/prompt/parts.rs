//! What a run consists of, as titled texts.

use std::{
    collections::{HashMap, HashSet},
    iter::once,
};

use reflect_core::{Message, ToolResult};

use super::RunView;
use crate::{ShownLesson, recalled};

/// How much a part may be shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// The operator's own words: always there, never shortened, and no charge on the budget, which is for the run.
    Whole,
    /// Always there, shortened only when it would fill the prompt alone.
    Kept,
    /// What was asked and said: shortened after the observations.
    Said,
    /// What tools and documents hold: shortened first.
    Seen,
    /// A step of the run that was said.
    StepSaid,
    /// A step of the run that was seen.
    StepSeen,
}

impl Rank {
    pub(super) fn is_always_there(self) -> bool {
        matches!(self, Self::Whole | Self::Kept)
    }

    pub(super) fn is_step(self) -> bool {
        matches!(self, Self::StepSaid | Self::StepSeen)
    }

    pub(super) fn is_seen(self) -> bool {
        matches!(self, Self::Seen | Self::StepSeen)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Written by us; names out of the run are made safe for it.
    pub(super) title: String,
    pub(super) text: String,
    pub(super) rank: Rank,
}

impl Part {
    fn new(title: impl Into<String>, text: impl Into<String>, rank: Rank) -> Self {
        Self { title: title.into(), text: text.into(), rank }
    }
}

/// The most characters of a name out of the run.
const NAME_LIMIT: usize = 60;

pub(super) fn of(view: &RunView<'_>) -> Vec<Part> {
    let mut parts = vec![Part::new("task", recalled::own_words(view.task).trim(), Rank::Kept)];
    if let Some(rubric) = view.rubric {
        parts.push(Part::new("rubric by the operator", rubric, Rank::Whole));
    }
    if let Some(reference) = view.reference {
        parts.push(Part::new("reference", reference, Rank::Seen));
    }
    let answer = recalled::own_words(view.final_response);
    let mut reader = Reader::new(&answer);
    reader.add_old_from(view.task);
    for (number, message) in (1..).zip(view.messages) {
        reader.add_message(number, message);
    }
    reader.add_old_from(view.final_response);
    for (number, shown) in (1..).zip(view.shown_lessons) {
        parts.push(Part::new(format!("recalled lesson {number}, known"), shown_text(shown), Rank::Seen));
    }
    for (number, text) in (1..).zip(reader.old) {
        parts.push(Part::new(format!("recalled text {number}, known"), text, Rank::Seen));
    }
    parts.append(&mut reader.steps);
    parts.push(Part::new("final response", answer.trim(), Rank::Said));
    let (result, feedback) = match view.is_judged_by_a_model {
        false => ("result", "feedback by the reviewer"),
        true => ("result by an automatic judge", "reason of the automatic judge, no person: to be trusted less"),
    };
    if let Some(outcome) = view.outcome {
        parts.push(Part::new(result, outcome.as_str(), Rank::Kept));
    }
    if let Some(words) = view.feedback {
        parts.push(Part::new(feedback, words, Rank::Kept));
    }
    parts
}

/// Old lessons in a run, wherever they stand.
pub(crate) fn recalled_texts(task: &str, messages: &[Message]) -> Vec<String> {
    let mut reader = Reader::new("");
    reader.add_old_from(task);
    for (number, message) in (1..).zip(messages) {
        reader.add_message(number, message);
    }
    // A block that was cut off stays in its place in the prompt, but a copy of what it held is a copy all the same.
    let said = messages.iter().map(|message| message.text.as_str());
    let seen = messages.iter().flat_map(|message| &message.tool_results).map(|result| result.text.as_str());
    once(task).chain(said).chain(seen).filter_map(recalled::unclosed).for_each(|cut_off| reader.add_old(cut_off));
    reader.old
}

/// A conversation.
pub(super) fn of_messages(messages: &[Message]) -> Vec<Part> {
    let mut reader = Reader::new("");
    for (number, message) in (1..).zip(messages) {
        reader.add_message(number, message);
    }
    // What was recalled is no part of what the user wants.
    reader.steps
}

/// Texts under titles of ours.
pub(super) fn of_texts(texts: Vec<(String, String)>) -> Vec<Part> {
    texts.into_iter().map(|(title, text)| Part::new(title, text, Rank::Said)).collect()
}

/// The tools that were called, in the order of first use, but not the memory's own.
pub(crate) fn tools_used(messages: &[Message]) -> Vec<String> {
    let mut seen = HashSet::new();
    let names = messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.name.as_str());
    let is_new =
        |name: &&str| !name.trim().is_empty() && !recalled::is_memory_tool(name) && seen.insert((*name).to_owned());
    names.filter(is_new).map(str::to_owned).collect()
}

/// Goes through the messages, and sorts what was said and done from old lessons.
struct Reader<'a> {
    /// The final response, which is not shown twice.
    answer: &'a str,
    steps: Vec<Part>,
    /// Old lessons that were found, each once.
    old: Vec<String>,
    known: HashSet<String>,
    /// Which tool a call is of: results often name only the call.
    tools: HashMap<&'a str, &'a str>,
}

impl<'a> Reader<'a> {
    fn new(answer: &'a str) -> Self {
        Self { answer: answer.trim(), steps: Vec::new(), old: Vec::new(), known: HashSet::new(), tools: HashMap::new() }
    }

    fn add_old_from(&mut self, text: &str) {
        for block in recalled::blocks(text) {
            self.add_old(block);
        }
    }

    fn add_old(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && self.known.insert(text.to_owned()) {
            self.old.push(text.to_owned());
        }
    }

    fn add_message(&mut self, number: usize, message: &'a Message) {
        self.add_old_from(&message.text);
        let words = recalled::own_words(&message.text);
        let words = words.trim();
        if !words.is_empty() {
            let is_answer = message.is_assistant() && words == self.answer;
            let text = if is_answer { "(the final response, see below)" } else { words };
            self.steps.push(Part::new(format!("step {number}: {} says", name(&message.role)), text, Rank::StepSaid));
        }
        for media in &message.media {
            let title = format!("step {number}: {} shows", name(&message.role));
            self.steps.push(Part::new(title, format!("{media} that this model was not shown"), Rank::StepSaid));
        }
        for call in &message.tool_calls {
            if !call.id.is_empty() {
                self.tools.insert(&call.id, &call.name);
            }
            let title = format!("step {number}: call of {}", name(&call.name));
            self.add_old_from(&call.arguments);
            self.steps.push(Part::new(title, recalled::own_words(&call.arguments), Rank::StepSaid));
        }
        for result in &message.tool_results {
            self.add_result(number, result);
        }
    }

    fn add_result(&mut self, number: usize, result: &ToolResult) {
        let called = self.tools.get(result.call_id.as_str()).copied().unwrap_or_default();
        let tool = if result.name.is_empty() { called } else { &result.name };
        if recalled::is_memory_tool(tool) || recalled::is_memory_tool(called) {
            self.add_old(&result.text);
            return;
        }
        self.add_old_from(&result.text);
        let mark = if result.is_error { ", marked as an error" } else { "" };
        let title = format!("step {number}: result of {}{mark}", name(tool));
        self.steps.push(Part::new(title, recalled::own_words(&result.text), Rank::StepSeen));
    }
}

/// A name out of the run, fit for a title.
fn name(text: &str) -> String {
    let is_plain = |character: &char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ':' | '/');
    let kept: String = text.chars().filter(is_plain).take(NAME_LIMIT).collect();
    if kept.is_empty() { "(unnamed)".into() } else { kept }
}

fn shown_text(shown: &ShownLesson) -> String {
    let outcome = match shown.success {
        Some(true) => "learned from a pass",
        Some(false) => "learned from a fail",
        None => "origin unknown",
    };
    let ShownLesson { task, lesson, .. } = shown;
    match lesson.has_only_a_summary() {
        true => format!("({outcome}) about: {}\n{}", task.trim(), lesson.summary),
        false => format!("({outcome}) about: {}\n{}\n{}", task.trim(), lesson.summary, lesson.text()),
    }
}

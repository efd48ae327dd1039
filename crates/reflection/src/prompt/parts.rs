//! What a run consists of, as titled texts.

use std::collections::HashSet;

use reflect_core::Message;

use super::RunView;
use crate::{ShownLesson, recalled};

/// How much a part may be shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
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
    let mut parts = vec![Part::new("task", recalled::before(view.task).trim(), Rank::Kept)];
    if let Some(rubric) = view.rubric {
        parts.push(Part::new("rubric by the operator", rubric, Rank::Kept));
    }
    if let Some(reference) = view.reference {
        parts.push(Part::new("reference", reference, Rank::Seen));
    }
    let mut old = OldLessons::default();
    old.add_from(view.task);
    let mut steps = Vec::new();
    for (place, message) in (1..).zip(view.messages) {
        add_message(&mut steps, &mut old, place, message, view.final_response);
    }
    for (place, shown) in (1..).zip(view.shown_lessons) {
        parts.push(Part::new(format!("recalled lesson {place}, known"), shown_text(shown), Rank::Seen));
    }
    for (place, text) in (1..).zip(old.texts) {
        parts.push(Part::new(format!("recalled text {place}, known"), text, Rank::Seen));
    }
    parts.append(&mut steps);
    let answer = recalled::without(view.final_response);
    parts.push(Part::new("final response", answer.trim(), Rank::Said));
    if let Some(outcome) = view.outcome {
        parts.push(Part::new("result", outcome.as_str(), Rank::Kept));
    }
    if let Some(feedback) = view.feedback {
        parts.push(Part::new("feedback by the reviewer", feedback, Rank::Kept));
    }
    parts
}

/// A conversation.
pub(super) fn of_messages(messages: &[Message]) -> Vec<Part> {
    let mut parts = Vec::new();
    // What was recalled is no part of what the user wants.
    let mut old = OldLessons::default();
    for (place, message) in (1..).zip(messages) {
        add_message(&mut parts, &mut old, place, message, "");
    }
    parts
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

/// Blocks of old lessons that were found in the run, each once.
#[derive(Default)]
struct OldLessons {
    known: HashSet<String>,
    texts: Vec<String>,
}

impl OldLessons {
    fn add_from(&mut self, text: &str) {
        for block in recalled::blocks(text) {
            self.add(block);
        }
    }

    fn add(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && self.known.insert(text.to_owned()) {
            self.texts.push(text.to_owned());
        }
    }
}

fn add_message(steps: &mut Vec<Part>, old: &mut OldLessons, place: usize, message: &Message, answer: &str) {
    old.add_from(&message.text);
    let words = recalled::without(&message.text);
    let words = words.trim();
    if !words.is_empty() {
        let is_answer = message.is_assistant() && words == answer.trim();
        let text = if is_answer { "(the final response, see below)" } else { words };
        steps.push(Part::new(format!("step {place}: {} says", name(&message.role)), text, Rank::StepSaid));
    }
    for call in &message.tool_calls {
        let title = format!("step {place}: call of {}", name(&call.name));
        steps.push(Part::new(title, recalled::without(&call.arguments), Rank::StepSaid));
    }
    for result in &message.tool_results {
        if recalled::is_memory_tool(&result.name) {
            old.add(&result.text);
            continue;
        }
        old.add_from(&result.text);
        let mark = if result.is_error { ", marked as an error" } else { "" };
        let title = format!("step {place}: result of {}{mark}", name(&result.name));
        steps.push(Part::new(title, recalled::without(&result.text), Rank::StepSeen));
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
    format!("({outcome}) about: {}\n{}", shown.task.trim(), shown.lesson.text())
}

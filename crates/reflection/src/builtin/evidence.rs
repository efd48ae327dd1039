//! What a lesson may be drawn from: the run without the old lessons that were shown in it.

use std::{borrow::Cow, collections::HashSet};

use reflect_core::ReviewSource;

use super::{
    errors,
    feedback::Feedback,
    memories,
    steps::{self, NAME_LIMIT, Step},
    words,
};
use crate::ReviewedRun;

/// The most tools that a lesson lists.
const TOOLS_LIMIT: usize = 64;

/// The most images and documents that a lesson names; of more it says that there are more.
pub(super) const MEDIA_LIMIT: usize = 3;

/// A run as the writers of the parts read it.
pub(super) struct Evidence<'a> {
    pub(super) task: &'a str,
    /// The agent's answer; empty when none is recorded.
    pub(super) answer: Cow<'a, str>,
    pub(super) feedback: Feedback,
    /// Whether the feedback is a model's, which a lesson does not pass on as a fact.
    pub(super) is_judged_by_a_model: bool,
    pub(super) reference: &'a str,
    pub(super) steps: Vec<Step<'a>>,
    pub(super) tools_used: Vec<String>,
    /// Images and documents of the run, which rules cannot look at.
    pub(super) unseen: Vec<String>,
}

impl<'a> Evidence<'a> {
    pub(super) fn read(run: &'a ReviewedRun) -> Self {
        let final_words = || {
            let spoken = run.messages.iter().rev().filter(|message| message.is_assistant());
            let mut spoken = spoken.map(|message| message.text.as_str());
            spoken.find(|text| !text.trim().is_empty()).unwrap_or_default()
        };
        let answer = match run.final_response.trim() {
            "" => final_words(),
            answer => answer,
        };
        Self {
            task: memories::before(&run.task).trim(),
            answer: memories::without(answer),
            feedback: Feedback::read(&memories::without(run.feedback_text.as_deref().unwrap_or_default())),
            is_judged_by_a_model: run.review_source == ReviewSource::Judge,
            reference: run.reference_context.as_deref().unwrap_or_default().trim(),
            steps: steps::read(&run.messages),
            tools_used: tools_used(run),
            unseen: unseen(run),
        }
    }

    /// Whose words the feedback is.
    pub(super) fn reviewer(&self) -> &'static str {
        if self.is_judged_by_a_model { "An automatic judge" } else { "Reviewer" }
    }

    /// The answer in quotation marks; empty when none is recorded.
    pub(super) fn quoted_answer(&self) -> String {
        words::speech(&self.answer, 160)
    }

    pub(super) fn errors(&self) -> usize {
        self.steps.iter().filter(|step| step.error.is_some()).count()
    }
}

/// "with `what it said`", or what there is to say of an error without words.
pub(super) fn failed_with(step: &Step) -> String {
    let error = step.error.as_deref().unwrap_or_default();
    match words::code(error, 160) {
        quoted if quoted.is_empty() => "failed without saying why".into(),
        quoted => format!("failed with {quoted}"),
    }
}

/// Whether the error may pass by itself.
pub(super) fn may_pass(step: &Step) -> bool {
    step.error.as_deref().is_some_and(errors::is_passing)
}

/// Each once, however often it was sent.
fn unseen(run: &ReviewedRun) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for media in run.messages.iter().flat_map(|message| &message.media) {
        let name = media.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() > MEDIA_LIMIT {
            break;
        }
    }
    names
}

fn tools_used(run: &ReviewedRun) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut tools = Vec::new();
    for message in &run.messages {
        let called = message.tool_calls.iter().map(|call| call.name.as_str());
        let answered = message.tool_results.iter().map(|result| result.name.as_str());
        for name in called.chain(answered) {
            if tools.len() == TOOLS_LIMIT {
                return tools;
            }
            let name = words::fold(name, NAME_LIMIT).replace('`', "'");
            if !name.is_empty() && seen.insert(name.clone()) {
                tools.push(name);
            }
        }
    }
    tools
}

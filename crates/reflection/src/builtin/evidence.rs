//! What a lesson may be drawn from: the run without the old lessons that were shown in it.

use std::{borrow::Cow, collections::HashSet};

use reflect_core::ReviewSource;

use super::{
    call::Request,
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
    pub(super) has_passed: bool,
    pub(super) steps: Vec<Step<'a>>,
    /// The directories that commands went to first.
    directories: Vec<String>,
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
        let steps = steps::read(&run.messages);
        // Never quoted; it tells whether the reviewer only repeated it.
        let reference = run.reference_context.as_deref().unwrap_or_default();
        let feedback = run.feedback_text.as_deref().unwrap_or_default();
        Self {
            task: memories::before(&run.task).trim(),
            answer: memories::without(answer),
            feedback: Feedback::read(&memories::without(feedback), reference, run.outcome),
            is_judged_by_a_model: run.review_source == ReviewSource::Judge,
            has_passed: run.outcome.is_pass(),
            directories: directories(&steps),
            tools_used: tools_used(run, &steps),
            steps,
            unseen: unseen(run),
        }
    }

    /// The directories that the run worked in.
    pub(super) fn directories(&self) -> Vec<&str> {
        self.directories.iter().map(String::as_str).collect()
    }

    /// The answer in quotation marks; empty when none is recorded.
    pub(super) fn quoted_answer(&self) -> String {
        words::speech(&self.answer, 160)
    }

    pub(super) fn errors(&self) -> usize {
        self.steps.iter().filter(|step| step.failure().is_some()).count()
    }
}

/// The first ones, each once.
fn directories(steps: &[Step]) -> Vec<String> {
    let mut directories: Vec<String> = Vec::new();
    for step in steps {
        let Request::Command(command) = &step.request else { continue };
        let Some(directory) = command.directory() else { continue };
        if directories.len() < 16 && !directories.iter().any(|known| known == directory) {
            directories.push(directory.to_owned());
        }
    }
    directories
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

/// By the messages; of a run that came as one text, by what was read out of it.
fn tools_used(run: &ReviewedRun, steps: &[Step]) -> Vec<String> {
    let of_messages = run.messages.iter().flat_map(|message| {
        let called = message.tool_calls.iter().map(|call| call.name.as_str());
        called.chain(message.tool_results.iter().map(|result| result.name.as_str()))
    });
    let mut seen: HashSet<String> = HashSet::new();
    let names = of_messages.chain(steps.iter().map(|step| step.tool));
    let names = names.map(|name| words::fold(name, NAME_LIMIT).replace('`', "'"));
    names.filter(|name| !name.is_empty() && seen.insert(name.clone())).take(TOOLS_LIMIT).collect()
}

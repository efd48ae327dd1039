//! One sentence: what was asked, what was tried, how it ended. A second one names what was not looked at.

use std::collections::HashSet;

use reflect_core::Outcome;

use super::{
    evidence::{Evidence, MEDIA_LIMIT},
    steps::{Place, Step},
    words,
};

pub(super) fn write(evidence: &Evidence, outcome: Outcome) -> String {
    let ended = match outcome {
        Outcome::Pass => "passed",
        Outcome::Fail if evidence.feedback.is_telling() || evidence.errors() > 0 => "failed",
        Outcome::Fail => "failed; the review gives no reason",
    };
    let opening = match words::speech(evidence.task, 140) {
        task if task.is_empty() => "The run".to_owned(),
        task => format!("Asked {task}, the run"),
    };
    format!("{opening} {} and {ended}.{}", deeds(evidence), unseen(evidence))
}

/// That there was more than words, so that nobody takes the lesson for one by somebody who saw it.
fn unseen(evidence: &Evidence) -> String {
    let mut names = evidence.unseen.clone();
    if names.is_empty() {
        return String::new();
    }
    if names.len() > MEDIA_LIMIT {
        names.truncate(MEDIA_LIMIT);
        names.push("others".into());
    }
    format!(" It came with {}, not looked at for this lesson.", words::list(&names))
}

/// What the run did. Calls and errors are counted where the tools' names alone do not tell.
fn deeds(evidence: &Evidence) -> String {
    let calls: Vec<&Step> = evidence.steps.iter().filter(|step| step.place == Place::Call).collect();
    let mut seen = HashSet::new();
    let different: Vec<&Step> = calls.iter().copied().filter(|step| seen.insert(step.tool)).collect();
    let errors = match evidence.errors() {
        0 => String::new(),
        1 => ", one error".into(),
        errors => format!(", {errors} errors"),
    };
    match (calls.len(), different.len()) {
        (0, _) => without_calls(evidence),
        (1, _) if errors.is_empty() => format!("called {}", names(&different)),
        (1, _) => format!("called {} (one call{errors})", names(&different)),
        (calls, tools) if calls == tools && errors.is_empty() => format!("called {}", names(&different)),
        (calls, _) => format!("called {} ({calls} calls{errors})", names(&different)),
    }
}

/// An answer is not quoted: a reader may take it for what to say.
fn without_calls(evidence: &Evidence) -> String {
    match (evidence.answer.trim().is_empty(), evidence.tools_used.is_empty()) {
        (true, _) => "left no answer".into(),
        (false, true) => "answered without a tool call".into(),
        (false, false) => "answered".into(),
    }
}

/// The first tools by name, the others by number.
fn names(different: &[&Step]) -> String {
    let mut names: Vec<String> = different.iter().take(4).map(|step| step.tool_name()).collect();
    match different.len().saturating_sub(4) {
        0 => {}
        1 => names.push("one other tool".into()),
        more => names.push(format!("{more} other tools")),
    }
    words::list(&names)
}

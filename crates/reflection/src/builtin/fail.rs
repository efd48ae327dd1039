//! The lesson of a run that failed.

use std::collections::HashSet;

use super::{
    Parts, arguments,
    claim::{self, Claim},
    evidence::{Evidence, failed_with, may_pass},
    pass, reading, reference, said,
    setbacks::{self, End, Setback},
    steps::{Place, Step},
    words::{self, Paragraph},
};

pub(super) fn write(evidence: &Evidence) -> Parts {
    let setbacks = setbacks::read(&evidence.steps);
    let claim = claim::find(evidence);
    Parts {
        key_mistake: key_mistake(evidence, &setbacks, claim.as_ref()),
        correct_action: correct_action(evidence, &setbacks),
        guidance: guidance(evidence, &setbacks, claim.as_ref()),
    }
}

/// Where the run itself shows trouble that it did not get over; else the call that the reviewer speaks of. Empty when the run
/// shows neither: a failure that nobody explains is not explained here.
fn key_mistake(evidence: &Evidence, setbacks: &[Setback], claim: Option<&Claim>) -> String {
    let mut mistake = Paragraph::new();
    let open = setbacks.iter().find(|setback| matches!(setback.end, End::Open));
    match (claim, open) {
        (Some(claim), _) => {
            mistake.add(&format!("{} {}.", place(claim.step), failed_with(claim.step)));
            mistake.add(&format!("The answer still said {}.", claim.said));
        }
        (None, Some(setback)) => mistake.add(&open_error(setback)),
        (None, None) => mistake.add(&call_in_question(evidence)),
    }
    mistake.into_text()
}

fn open_error(setback: &Setback) -> String {
    let failed = format!("{} {}", place(setback.step), failed_with(setback.step));
    match setback.times {
        1 => format!("{failed}."),
        2 => format!("{failed}; the same call failed twice in all."),
        times => format!("{failed}; the same call failed {times} times in all."),
    }
}

/// "Tool call 3, `get_order` with `A17`,": where a step is and what it was.
fn place(step: &Step) -> String {
    let name = step.tool_name();
    match step.place {
        Place::Call(number) => format!("Tool call {number}, {},", arguments::call(&name, step.arguments, 120)),
        Place::Message(number) if step.tool.is_empty() => format!("The tool result in message {number}"),
        Place::Message(number) => format!("The result of {name} in message {number}"),
    }
}

/// What the reference says, and what worked in the run itself after an error.
fn correct_action(evidence: &Evidence, setbacks: &[Setback]) -> String {
    let mut action = Paragraph::new();
    let reference = reference::quoted(evidence);
    if !reference.is_empty() {
        action.add(&format!("The reference says: {reference}."));
    }
    for setback in setbacks {
        action.add(&pass::way_out(setback, ""));
    }
    action.into_text()
}

/// The reviewer's words first: they are what the run could not know. Then what to do about errors.
fn guidance(evidence: &Evidence, setbacks: &[Setback], claim: Option<&Claim>) -> String {
    let mut guidance = Paragraph::new();
    said::add_to(&mut guidance, evidence);
    if let Some(claim) = claim {
        let name = claim.step.tool_name();
        guidance
            .add(&format!("When {name} returns an error, retry it or report it; do not answer as if it had worked."));
    }
    let open = setbacks.iter().filter(|setback| matches!(setback.end, End::Open));
    let other = open.filter(|setback| claim.is_none_or(|claim| claim.step != setback.step));
    for setback in other.take(2) {
        guidance.add(&next_time(setback));
    }
    for setback in setbacks {
        guidance.add(&pass::retry(setback));
    }
    guidance.into_text()
}

/// What to do about an error that the run did not get over.
fn next_time(setback: &Setback) -> String {
    let step = setback.step;
    let name = step.tool_name();
    let error = words::code(step.error.as_deref().unwrap_or_default(), 100);
    if matches!(step.place, Place::Message(_)) || error.is_empty() {
        return String::new();
    }
    match (may_pass(step), setback.times) {
        (true, 1) => format!("Retry {name} after {error}: such an error may pass, and the run did not try again."),
        (true, _) => format!("Have another way ready when {name} keeps answering {error}."),
        (false, 1) => match arguments::shown(step.arguments, 100) {
            sent if sent.is_empty() => format!("Be ready for {error} from {name}."),
            sent => format!("Do not repeat {name} with {sent}; change the arguments first."),
        },
        (false, _) => {
            format!("Change the arguments after the first {error} from {name}; repeating the call did not help.")
        }
    }
}

/// Of the last calls, the one that shares most words with the feedback, and what it was sent; of equal ones the last.
fn call_in_question(evidence: &Evidence) -> String {
    let cues: HashSet<String> = match evidence.feedback.is_telling() {
        true => reading::telling_words(&evidence.feedback.whole).collect(),
        false => return String::new(),
    };
    let shared = |step: &Step| {
        let sent = words::fold(step.arguments, 600);
        let mentioned = reading::telling_words(&sent).chain(reading::telling_words(step.tool));
        mentioned.filter(|word| cues.contains(word)).collect::<HashSet<_>>().len()
    };
    let calls = evidence.steps.iter().rev().take(50);
    let with_arguments = calls.filter(|step| !arguments::shown(step.arguments, 10).is_empty() && !step.tool.is_empty());
    let mut best: (usize, Option<&Step>) = (0, None);
    for step in with_arguments {
        let shared = shared(step);
        if shared > best.0 {
            best = (shared, Some(step));
        }
    }
    let Some(step) = best.1 else { return String::new() };
    let name = step.tool_name();
    match arguments::field_about(step.arguments, &cues, 200) {
        Some((field, sent)) => format!("The run called {name} with the {field} {sent}."),
        None => format!("The run called {name} with {}.", arguments::shown(step.arguments, 200)),
    }
}

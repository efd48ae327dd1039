//! The lesson of a run that passed.

use super::{
    Parts,
    arguments::{self, Change},
    errands::{self, Errand},
    evidence::{Evidence, failed_with},
    reference, said,
    setbacks::{self, End, Setback},
    words::Paragraph,
};

pub(super) fn write(evidence: &Evidence) -> Parts {
    let setbacks = setbacks::read(&evidence.steps);
    let worked = Errand::all(&evidence.steps);
    Parts {
        key_mistake: String::new(),
        correct_action: correct_action(evidence, &setbacks, &worked),
        guidance: guidance(evidence, &setbacks, &worked),
    }
}

/// The calls that worked, or an answer that did; then what did not and how the run got past it.
fn correct_action(evidence: &Evidence, setbacks: &[Setback], worked: &[Errand]) -> String {
    let mut action = Paragraph::new();
    let answer = evidence.quoted_answer();
    let told = errands::sequence(worked);
    action.add(&told);
    if evidence.tools_used.is_empty() && evidence.steps.is_empty() && !answer.is_empty() {
        action.add(&format!(
            "Accepted for that task: {answer}. Keep its form; its names and numbers belong to that task."
        ));
    }
    for setback in setbacks {
        action.add(&way_out(setback, &told));
    }
    for setback in setbacks.iter().filter(|setback| matches!(setback.end, End::Open)) {
        action.add(&passed_without(setback));
    }
    if reference::is_in_answer(evidence) {
        action.add(&format!("The answer agrees with the reference, {}.", reference::quoted(evidence)));
    } else if !evidence.reference.is_empty() {
        action.add(&format!("The reference says: {}.", reference::quoted(evidence)));
    }
    action.into_text()
}

fn guidance(evidence: &Evidence, setbacks: &[Setback], worked: &[Errand]) -> String {
    let mut guidance = Paragraph::new();
    said::add_to(&mut guidance, evidence);
    for setback in setbacks {
        guidance.add(&retry(setback));
    }
    if guidance.is_empty() && evidence.errors() == 0 {
        guidance.add(&errands::order(worked));
    }
    guidance.into_text()
}

/// How the run got past an error with another call. Empty where it did not, or where the same call simply worked.
/// What `told` says already is not said again.
pub(super) fn way_out(setback: &Setback, told: &str) -> String {
    let step = setback.step;
    let name = step.tool_name();
    let failed = failed_with(step);
    match &setback.end {
        End::Corrected(other) => {
            let Change { before, after } = arguments::change(step.arguments, other.arguments, 70);
            match (before.is_empty(), after.is_empty()) {
                (true, _) => format!("In {name}, give {after}; without it the call {failed}."),
                (_, true) => format!("In {name}, leave out {before}, which {failed}."),
                _ if told.contains(after.trim_matches(['`', '…'])) => {
                    format!("In {name}, avoid {before}, which {failed}.")
                }
                _ => format!("In {name}, use {after}; {before} {failed}."),
            }
        }
        End::After(helper) => match arguments::call(&helper.tool_name(), helper.arguments, 120) {
            _ if told.contains(&helper.tool_name()) => {
                format!("{name} {failed} until {} was called.", helper.tool_name())
            }
            call => format!("{name} {failed} until {call} was called."),
        },
        End::Retried | End::Open => String::new(),
    }
}

/// That trying again helped, where it did.
pub(super) fn retry(setback: &Setback) -> String {
    if !matches!(setback.end, End::Retried) {
        return String::new();
    }
    let times = match setback.times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    };
    let step = setback.step;
    format!("{} {} {times}, then the same call worked: retry it before giving up.", step.tool_name(), failed_with(step))
}

fn passed_without(setback: &Setback) -> String {
    let step = setback.step;
    if step.tool.is_empty() {
        return String::new();
    }
    let call = arguments::call(&step.tool_name(), step.arguments, 100);
    format!("{call} {}; the run passed without it.", failed_with(step))
}

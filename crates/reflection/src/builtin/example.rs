//! What was done in a run that passed, where nothing better is known of it.

use std::collections::HashMap;

use reflect_core::Tells;

use super::{
    attempts::{Attempts, End, speaks_of_trouble},
    call::Request,
    changes::{self, without_directory},
    claim,
    evidence::Evidence,
    outcome, saying,
    steps::{Place, Step},
    told::Told,
    words,
};

/// The one or two calls that made the result; without any call the answer, where it is one.
pub(super) fn read(evidence: &Evidence, attempts: &[Attempts]) -> Option<Told> {
    if evidence.tools_used.is_empty() && evidence.steps.is_empty() {
        return accepted(evidence);
    }
    let ends: HashMap<&str, End> = attempts.iter().map(|attempts| (attempts.step.key.as_str(), attempts.end)).collect();
    let calls: Vec<&Step> = evidence
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.place == Place::Call && !step.tool.is_empty() && !found_nothing(step))
        .filter(|(at, step)| match ends.get(step.key.as_str()) {
            // What failed when it came again made nothing.
            Some(End::Failed) => false,
            Some(End::Passed(success)) if success == at => true,
            _ => may_have_worked(step),
        })
        .map(|(_, step)| step)
        .collect();
    let doing = |step: &&&Step| !step.is_a_look() && !step.is_a_check() && !keeps_books(step);
    let mut made: Vec<&Step> = Vec::new();
    for step in calls.iter().rev().filter(doing) {
        if made.len() < 2 && !made.iter().any(|other| is_same_deed(other, step)) {
            made.insert(0, step);
        }
    }
    if made.is_empty() {
        made.extend(calls.iter().rev().find(|step| step.has_succeeded()).or(calls.last()));
    }
    let mut deeds: Vec<String> = made.iter().map(|step| deed(step, evidence)).collect();
    deeds.dedup();
    let is_edit = |step: &&Step| matches!(step.request, Request::Edit(_));
    let after = calls.iter().rev().take_while(|step| !made.contains(step));
    let check = after.filter(|step| step.is_a_check() && step.has_succeeded()).last();
    let passed = check.filter(|_| made.iter().all(is_edit));
    let passed = passed.map(|step| format!("; {} then passed", saying::call(step))).unwrap_or_default();
    if deeds.is_empty() {
        return None;
    }
    Some(Told::new(Tells::Example, format!("Done with {}{passed}.", deeds.join(", then ")), &made))
}

fn may_have_worked(step: &Step) -> bool {
    step.has_succeeded() || (step.may_have_worked() && !speaks_of_trouble(&step.printed))
}

/// Whether a database was asked about itself, and had nothing to answer, or what was sent was no statement.
fn found_nothing(step: &Step) -> bool {
    step.request.sql().is_some_and(|statement| {
        let is_about_schema =
            statement.lists_tables() || statement.describes().is_some() || statement.is_of_catalogue();
        !statement.is_sql() || (is_about_schema && !outcome::has_rows(&step.printed))
    })
}

fn keeps_books(step: &Step) -> bool {
    matches!(&step.request, Request::Command(command) if changes::keeps_books(command))
}

fn is_same_deed(one: &Step, other: &Step) -> bool {
    one.key == other.key || matches!((&one.request, &other.request), (Request::Edit(a), Request::Edit(b)) if a == b)
}

fn deed(step: &Step, evidence: &Evidence) -> String {
    match &step.request {
        Request::Edit(files) => {
            let directories = evidence.directories();
            let files = files.iter().take(3).map(|file| words::code(without_directory(file, &directories), 80));
            format!("an edit of {}", words::list(&files.collect::<Vec<_>>()))
        }
        _ => saying::call_in_list(step),
    }
}

/// An answer that passed. One that only reports what was done is no form to keep.
fn accepted(evidence: &Evidence) -> Option<Told> {
    let answer = evidence.quoted_answer();
    if answer.is_empty() || claim::is_report(&evidence.answer) {
        return None;
    }
    let text = format!("Accepted for that task: {answer}. Keep its form; its names and numbers belong to that task.");
    Some(Told::new(Tells::Example, text, &[]))
}

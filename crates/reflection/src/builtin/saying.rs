//! How calls and failures are put into words.

use super::{
    arguments::{self, Change},
    call::Request,
    steps::Step,
    words,
};

/// The most characters of a command, a statement or an error that are quoted.
pub(super) const QUOTE: usize = 160;

/// A call by what it asked for: the command or the statement itself, else the tool "with" its arguments.
pub(super) fn call(step: &Step) -> String {
    bare(step).unwrap_or_else(|| arguments::call(&step.tool_name(), step.arguments, 120))
}

/// The same for a list: the arguments in brackets.
pub(super) fn call_in_list(step: &Step) -> String {
    bare(step).unwrap_or_else(|| arguments::bracketed(&step.tool_name(), step.arguments, 120))
}

/// Two calls that differ, each quoted. Where a cut would leave the same of both they are shown from before the place where they differ;
/// nothing where that does not tell them apart.
pub(super) fn apart(one: &Step, other: &Step) -> Option<(String, String)> {
    let quoted = (call(one), call(other));
    if quoted.0 != quoted.1 {
        return Some(quoted);
    }
    let text = |step: &'_ Step| match &step.request {
        Request::Command(command) => command.shown().to_owned(),
        Request::Statement(statement) => statement.text().to_owned(),
        _ => step.arguments.to_owned(),
    };
    let Change { before, after } = arguments::change(&text(one), &text(other), QUOTE);
    (before != after && !before.is_empty() && !after.is_empty()).then_some((before, after))
}

fn bare(step: &Step) -> Option<String> {
    let text = match &step.request {
        Request::Command(command) => command.shown(),
        Request::Statement(statement) => statement.text(),
        _ => return None,
    };
    Some(words::code(&super::memories::without_any(text), QUOTE)).filter(|quoted| !quoted.is_empty())
}

/// "failed six times with `what it said`".
pub(super) fn failed(step: &Step, times: usize) -> String {
    let error = step.failure().map(|failure| failure.error.as_str()).unwrap_or_default();
    let times = match times {
        0 | 1 => String::new(),
        times => format!(" {}", often(times)),
    };
    match words::code(error, QUOTE) {
        quoted if quoted.is_empty() => format!("failed{times} without saying why"),
        quoted => format!("failed{times} with {quoted}"),
    }
}

/// "twice", "three times".
fn often(times: usize) -> String {
    const NUMBERS: [&str; 10] = ["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match times {
        2 => "twice".into(),
        times => match times.checked_sub(3).and_then(|at| NUMBERS.get(at)) {
            Some(number) => format!("{number} times"),
            None => format!("{times} times"),
        },
    }
}

/// The word for a success: checks pass, other things work.
pub(super) fn succeeded(step: &Step) -> &'static str {
    if step.is_a_check() { "passed" } else { "worked" }
}

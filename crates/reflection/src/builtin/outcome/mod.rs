//! What a tool call came to: failed, succeeded, or not known.
//!
//! A call failed where its tool says so: by a mark of the format, a code or a signal in the result's own frame, a field of an answer in
//! JSON, or an exception as the first line. What a command printed is no outcome, whatever words are in it, unless a test runner or a
//! compiler says its last word there. In doubt it is not known: a missed failure makes a lesson thinner, a false one makes it wrong.

mod error_line;
mod frame;
mod json;
mod labels;
mod last_words;
mod shell;
mod sql;
mod status;

use std::borrow::Cow;

use reflect_core::ToolResult;

use super::{call::Request, memories, words};
use frame::Frame;

pub(super) use error_line::telling;
pub(super) use frame::is_frame_line;
pub(super) use labels::is_exception;
pub(super) use sql::has_rows;

/// The most characters of an error that are kept.
const ERROR_LIMIT: usize = 160;

/// What became of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum CallOutcome {
    Failed(Failure),
    Succeeded,
    /// Nothing says how it went, or there is no result.
    #[default]
    Unknown,
    /// It ended with a code other than 0 and without a word: an answer, or a failure of which nothing can be told.
    Silent,
}

/// How a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What the error said; may be empty.
    pub(super) error: String,
    /// What says so.
    pub(super) by: Sign,
}

/// What a failure is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The frame around the output: a mark, a code, a signal, a field.
    Frame,
    /// An exception that ended the program.
    Exception,
    /// Words of the program's own.
    Words,
}

impl CallOutcome {
    pub(super) fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    fn failed(error: &str, by: Sign) -> Self {
        Self::Failed(Failure { error: words::fold(error, ERROR_LIMIT), by })
    }

    fn known(is_success: bool) -> Self {
        if is_success { Self::Succeeded } else { Self::Unknown }
    }
}

/// A result as it is read: what it came to, and what the tool printed without the frame around it.
pub(super) struct ReadResult<'a> {
    pub(super) outcome: CallOutcome,
    pub(super) printed: Cow<'a, str>,
}

/// What came back from a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) text: &'a str,
    /// Whether the format marks it as an error.
    pub(super) is_error: bool,
}

impl<'a> From<&'a ToolResult> for Answer<'a> {
    fn from(result: &'a ToolResult) -> Self {
        Self { text: &result.text, is_error: result.is_error }
    }
}

/// Reads the result of a call.
pub(super) fn read<'a>(request: &Request, answer: impl Into<Answer<'a>>) -> ReadResult<'a> {
    let Answer { text, is_error } = answer.into();
    let text = memories::without_any(text);
    let (outcome, printed) = match request {
        Request::Command(command) => {
            let Frame { ending, printed } = frame::read(text, command.is_reading());
            match is_error && is_refused_by_user(&printed) {
                true => (CallOutcome::Unknown, printed),
                false => (shell::outcome(command, ending, is_error, &printed), printed),
            }
        }
        _ if is_error && is_refused_by_user(&text) => (CallOutcome::Unknown, text),
        _ if is_error => (CallOutcome::failed(&marked(&text), Sign::Frame), text),
        Request::Statement(_) => (sql::outcome(&text), text),
        Request::Look => (of_look(&text), text),
        Request::Edit(_) => (of_edit(&text), text),
        Request::Other => (of_answer(&text), text),
    };
    ReadResult { outcome, printed }
}

/// Whether somebody did not let the call be made: then it came to nothing.
fn is_refused_by_user(text: &str) -> bool {
    let small = first_line(text).to_lowercase();
    [
        "the user doesn't want",
        "user rejected",
        "user denied",
        "tool use was rejected",
        "rejected by user",
        "user declined",
    ]
    .iter()
    .any(|opening| small.starts_with(opening))
}

/// What came as plain text, from nobody in particular.
pub(super) fn of_observation(text: &str) -> CallOutcome {
    match last_words::read(text) {
        Some(false) => CallOutcome::failed(&telling(text), Sign::Words),
        _ => match json::judge(text.trim()) {
            json::Verdict::Error(error) => CallOutcome::failed(&error, Sign::Frame),
            _ => opening_error(text).unwrap_or_default(),
        },
    }
}

/// What an answer says that is marked as an error.
fn marked(text: &str) -> String {
    let text = text.trim();
    let bare = text.strip_prefix("<tool_use_error>").and_then(|rest| rest.strip_suffix("</tool_use_error>"));
    let text = bare.unwrap_or(text);
    match json::judge(text) {
        json::Verdict::Error(error) => error,
        _ => telling(text),
    }
}

/// What a look shows is no error, whatever words are in it; but where it may be one, nothing is said of it.
fn of_look(text: &str) -> CallOutcome {
    let may_be_error = matches!(json::judge(text.trim()), json::Verdict::Error(_)) || opening_error(text).is_some();
    CallOutcome::known(!may_be_error && !text.trim().is_empty())
}

/// Whether an editor did not want to, and did not merely miss the place: the file had changed, was not read before, or is protected.
pub(super) fn is_refusal_of_edit(error: &str) -> bool {
    const REFUSALS: [&str; 8] = [
        "modified since",
        "changed since",
        "not been read",
        "read-only",
        "permission denied",
        "not allowed",
        "not permitted",
        "protected",
    ];
    let small = error.to_lowercase();
    REFUSALS.iter().any(|refusal| small.contains(refusal))
}

fn of_edit(text: &str) -> CallOutcome {
    const MISSES: [&str; 5] = [
        "did not appear verbatim",
        "no replacement was performed",
        "string to replace not found",
        "no match found",
        "no changes",
    ];
    let first = first_line(text).to_lowercase();
    if MISSES.iter().any(|miss| first.contains(miss)) {
        return CallOutcome::failed(first_line(text), Sign::Words);
    }
    of_answer(text)
}

/// An answer of a tool of which nothing is known. JSON is judged by its fields. Of other texts the first line tells of an error, and
/// a short text with a word of trouble in it is not known.
fn of_answer(text: &str) -> CallOutcome {
    const TROUBLE: [&str; 22] = [
        "not ",
        "no ",
        "fail",
        "error",
        "cannot",
        "can't",
        "unable",
        "denied",
        "invalid",
        "missing",
        "nicht",
        "kein",
        "fehl",
        "refused",
        "reject",
        "unknown",
        "wrong",
        "abort",
        "timeout",
        "timed out",
        "locked",
        "forbidden",
    ];
    match json::judge(text.trim()) {
        json::Verdict::Error(error) => return CallOutcome::failed(&error, Sign::Frame),
        json::Verdict::Fine => return CallOutcome::Succeeded,
        json::Verdict::NotJson => {}
    }
    if let Some(failed) = opening_error(text) {
        return failed;
    }
    if status::is_success_line(first_line(text)) {
        return CallOutcome::Succeeded;
    }
    match last_words::read(text) {
        Some(false) => return CallOutcome::failed(&telling(text), Sign::Words),
        Some(true) => return CallOutcome::Succeeded,
        None => {}
    }
    let is_short = text.len() <= 200;
    let small = if is_short { text.to_lowercase() } else { String::new() };
    CallOutcome::known(!text.trim().is_empty() && !TROUBLE.iter().any(|word| small.contains(word)))
}

/// A failure by the first line: an exception, an error under its label, a status of HTTP, a short refusal.
fn opening_error(text: &str) -> Option<CallOutcome> {
    let first = first_line(text);
    if is_exception(text.trim_start()) {
        return Some(CallOutcome::failed(&telling(text), Sign::Exception));
    }
    let is_short = text.len() <= 400 && text.lines().nth(3).is_none();
    let says_so =
        labels::has_error_label(first) || status::is_error_line(first) || (is_short && status::is_refusal(first));
    says_so.then(|| CallOutcome::failed(first, Sign::Words))
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests;

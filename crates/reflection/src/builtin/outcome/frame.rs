//! The frame that a shell's tool puts around what a command printed: a code, a signal, a time-out.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Value, value::RawValue};

use crate::builtin::reading;

/// How a command ended, where its frame says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Code(i64),
    /// It was stopped by a signal or for the time it took.
    Stopped,
}

/// A result taken out of its frame.
pub(super) struct Frame<'a> {
    pub(super) ending: Option<Ending>,
    pub(super) printed: Cow<'a, str>,
}

/// How many lines at each end may be the frame's.
const LINES: usize = 4;

/// Reads a result. What a reading command shows may look like a frame, so for one of these only a frame counts that no file has by
/// chance.
pub(super) fn read(text: Cow<'_, str>, is_reading: bool) -> Frame<'_> {
    if let Some(frame) = of_json(&text).or_else(|| of_tags(&text)) {
        return frame;
    }
    let ending = if is_reading { None } else { of_lines(&text) };
    Frame { ending, printed: text }
}

/// `{"exit_code": 1, "output": "…"}`, or the code among its metadata.
fn of_json(text: &str) -> Option<Frame<'static>> {
    let trimmed = text.trim();
    if !trimmed.starts_with('{') {
        return None;
    }
    let fields: HashMap<String, &RawValue> = serde_json::from_str(trimmed).ok()?;
    let outputs = ["stdout", "output", "stderr", "aggregated_output"];
    let printed: Vec<String> =
        outputs.iter().filter_map(|key| serde_json::from_str(fields.get(*key)?.get()).ok()).collect();
    if printed.is_empty() {
        return None;
    }
    let metadata = fields.get("metadata").and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let codes = ["exit_code", "exitCode", "returncode", "return_code", "exit_status", "code", "status"];
    let code = codes.iter().find_map(|key| match fields.get(*key) {
        Some(raw) => raw.get().parse().ok(),
        None => metadata.as_ref()?.get(*key)?.as_i64(),
    });
    let is_stopped = ["timed_out", "timedOut", "interrupted", "killed"].iter();
    let is_stopped = is_stopped.filter_map(|key| fields.get(*key)).any(|raw| raw.get() == "true");
    let ending = if is_stopped { Some(Ending::Stopped) } else { code.map(Ending::Code) };
    Some(Frame { ending, printed: Cow::Owned(printed.join("\n")) })
}

/// `<returncode>1</returncode><output>…</output>`.
fn of_tags(text: &str) -> Option<Frame<'static>> {
    let trimmed = text.trim();
    let tag = ["<returncode>", "<exit_code>", "<exitcode>"].into_iter().find(|tag| trimmed.starts_with(tag))?;
    let (code, rest) = trimmed.get(tag.len()..)?.split_once('<')?;
    let ending = Some(Ending::Code(code.trim().parse().ok()?));
    let printed = rest.split_once('>').map_or(rest, |(_, rest)| rest).trim();
    let printed = printed.strip_prefix("<output>").unwrap_or(printed);
    Some(Frame { ending, printed: Cow::Owned(printed.trim_end_matches("</output>").to_owned()) })
}

fn of_lines(text: &str) -> Option<Ending> {
    let full = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    last.take(LINES).chain(full().take(1)).find_map(ending)
}

/// Whether the line belongs to a frame.
pub(in super::super) fn is_frame_line(line: &str) -> bool {
    ending(line.trim()).is_some() || line.starts_with("Wall time:") || is_heading(line.trim()) || is_empty_field(line)
}

/// `Signal: (none)`, `Stdout: (empty)`: a field of the frame with nothing in it.
fn is_empty_field(line: &str) -> bool {
    let field = line.trim().split_once(": (");
    field.is_some_and(|(name, said)| !name.contains(' ') && matches!(said, "none)" | "empty)" | "no output)"))
}

/// Whether the line says which signal stopped the command, or that it took too long.
pub(super) fn is_stop_line(line: &str) -> bool {
    ending(line.trim()) == Some(Ending::Stopped)
}

/// What a tool writes over an output or around it: `Command output:`, `--- stderr ---`, three backticks.
fn is_heading(line: &str) -> bool {
    const WORDS: &str = "the a command output stdout stderr result results standard error of tool shell terminal console log \
        response combined";
    let bare = line.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let is_marked = line.ends_with([':', '>', ']', '-', '=', '`']);
    let mut words = bare.split([' ', '_', '-']).filter(|word| !word.is_empty());
    line.len() <= 40 && is_marked && words.all(|word| reading::lists(WORDS, word))
}

/// How a command ended, by a line that says nothing else: `Exit code: 1`, `[Command finished with exit code 0]`, `Killed`.
fn ending(line: &str) -> Option<Ending> {
    if line.len() > 120 {
        return None;
    }
    // A log may name the tool before it: `[sh] exit=1`.
    let named = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let line = named.map_or(line, |(_, rest)| rest);
    if let Some(code) = code_between_tags(line) {
        return Some(Ending::Code(code));
    }
    let small = line.to_lowercase();
    let small = small.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-');
    if matches!(small, "killed" | "terminated" | "aborted" | "segmentation fault") || is_stop(small) {
        return Some(Ending::Stopped);
    }
    code(small).or_else(|| without_time(small).find_map(code)).map(Ending::Code)
}

/// `<exit_code>1</exit_code>` on a line of its own, or at the end of one: `<stdout></stdout><exit_code>0</exit_code>`.
fn code_between_tags(line: &str) -> Option<i64> {
    let known = ["exit_code", "exitcode", "exit_status", "returncode", "return_code"];
    let (before, said) = known.iter().find_map(|tag| line.rsplit_once(&format!("<{tag}>")))?;
    let is_of_frame = before.is_empty() || (before.ends_with('>') && line.ends_with('>'));
    said.split('<').next()?.trim().parse().ok().filter(|_| is_of_frame)
}

/// The code in a text that says nothing else.
fn code(said: &str) -> Option<i64> {
    const SAID: &str = "the a command process program script shell tool error failed exit exited code status with finished \
        completed returned return terminated non-zero nonzero and returncode exit_code rc";
    let mut words: Vec<&str> = said.split([' ', ':', '=', '(', ')']).filter(|word| !word.is_empty()).collect();
    let code = words.pop()?.parse().ok()?;
    let names_code = ["code", "status", "exit", "exited", "returncode", "exit_code", "rc"];
    let is_frame = words.iter().all(|word| reading::lists(SAID, word));
    (is_frame && words.iter().any(|word| names_code.contains(word))).then_some(code)
}

/// The parts of `exit 0, 0.4s` and `exited with 1 after 3 s` beside the time that it took.
fn without_time(said: &str) -> impl Iterator<Item = &str> {
    let is_time = |part: &str| {
        let is_unit = |letter: char| letter.is_alphabetic() || "()[] µ.".contains(letter);
        let number = part.trim_matches(is_unit).trim_start_matches("took ");
        !number.is_empty() && number.parse::<f64>().is_ok() && part.trim_end_matches(')').ends_with(char::is_alphabetic)
    };
    let cuts = [" after ", " in ", ", ", "; ", " ("];
    cuts.into_iter().filter_map(move |cut| {
        let (before, after) = said.split_once(cut)?;
        match (is_time(after), is_time(before)) {
            (true, _) => Some(before),
            (_, true) => Some(after),
            // "after 2m 3.1s": words for a time in which no code could stand.
            _ => (cut == " after ").then_some(before),
        }
    })
}

fn is_stop(small: &str) -> bool {
    let openings =
        ["command timed out", "process timed out", "execution timed out", "timed out after", "timeout after"];
    openings.iter().any(|opening| small.starts_with(opening))
        || small.starts_with("segmentation fault (core dumped")
        || (small.contains("signal") && (small.starts_with("terminated by") || small.starts_with("killed by")))
        || small.strip_prefix("signal: ").is_some_and(|signal| signal.contains("sig"))
        || (["the command ", "command ", "process "].iter().any(|opening| small.starts_with(opening))
            && (small.contains("was timed out") || small.contains("has timed out")))
}

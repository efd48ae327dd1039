//! The line of an output that tells most about its error.

use super::{frame, labels, last_words, sql};
use crate::builtin::words;

/// How many lines at each end of an output are looked at.
const LINES: usize = 400;

/// A longer line is data.
const LONG: usize = 600;

/// What an output says about its error; empty where it says nothing.
pub(in super::super) fn telling(text: &str) -> String {
    if text.contains(labels::TRACEBACK)
        && let Some(line) = labels::exception_line(text)
    {
        return words::fold(line, super::ERROR_LIMIT);
    }
    words::fold(best(text).1, super::ERROR_LIMIT)
}

/// What an output says of a crash: the signal, else its error, else the frame's own words.
pub(super) fn of_crash(text: &str) -> String {
    let mut ends = text.lines().rev().take(8).chain(text.lines().take(8));
    let said = match (ends.find(|line| frame::is_stop_line(line)), best(text)) {
        (_, (9, error)) => error,
        (Some(signal), _) => signal.trim(),
        (None, (0 | 1, _)) => return of_frame(text),
        (None, (_, error)) => error,
    };
    words::fold(said, super::ERROR_LIMIT)
}

/// The line that tells most, and how much that is.
fn best(text: &str) -> (u8, &str) {
    let mut best = (0, "");
    let mut is_announced = false;
    let mut is_of_gradle = false;
    for whole in both_ends(text) {
        let line = whole.trim();
        if line.starts_with("* ") {
            is_of_gradle = line == "* What went wrong:";
        }
        if is_announced && !line.is_empty() {
            return (8, line.trim_start_matches(['•', ' ']));
        }
        is_announced = announces(line);
        let (rank, said) = if is_of_gradle { cause(whole) } else { rank(line) };
        if rank > best.0 {
            best = (rank, said);
        }
    }
    best
}

/// What Gradle says went wrong: the deeper a cause stands below another, the more it tells.
fn cause(line: &str) -> (u8, &str) {
    match line.split_once("> ") {
        Some((indent, said)) if indent.trim().is_empty() => (if indent.is_empty() { 5 } else { 6 }, said),
        _ => (if line.starts_with("* ") || line.trim().is_empty() { 0 } else { 4 }, line.trim()),
    }
}

/// Whether a line only says where something went wrong, and the next one what.
fn announces(line: &str) -> bool {
    let is_of_ghc = line.rsplit_once(": error:").is_some_and(|(place, code)| {
        place.ends_with(|last: char| last.is_ascii_digit()) && (code.is_empty() || code.starts_with(" [GHC-"))
    });
    is_of_ghc || (line.ends_with(':') && (line.contains(" panicked at ") || line.starts_with("CMake Error at ")))
}

/// What a frame says that has no code: that it took too long, or which signal stopped it.
pub(super) fn of_frame(text: &str) -> String {
    let lines = text.lines().rev().chain(text.lines()).map(str::trim).filter(|line| !line.is_empty());
    let stopped = lines.take(8).find(|line| frame::is_frame_line(line)).unwrap_or_default();
    words::fold(stopped, super::ERROR_LIMIT)
}

fn both_ends(text: &str) -> impl Iterator<Item = &str> {
    let is_long = text.lines().nth(2 * LINES).is_some();
    let head = if is_long { LINES } else { 2 * LINES };
    let tail: Vec<&str> = if is_long { text.lines().rev().take(LINES).collect() } else { Vec::new() };
    text.lines().take(head).chain(tail.into_iter().rev())
}

/// How much a line tells, and the part of it that does. Lines that only sum up come last.
fn rank(line: &str) -> (u8, &str) {
    if line.is_empty() || frame::is_frame_line(line) {
        return (0, line);
    }
    if line.len() > LONG {
        return (1, line);
    }
    if line.contains("[rejected]") || line.contains("[remote rejected]") {
        let reason = line.rsplit_once('(').map_or(line, |(_, reason)| reason.trim_end_matches(')'));
        return (9, reason);
    }
    if line.starts_with("error[E") {
        return (9, line);
    }
    if let Some(said) = named_after_label(line) {
        return (8, said);
    }
    if let Some((at, _)) = line.match_indices("ERROR: ").next().filter(|_| line.contains("Sanitizer: ")) {
        return (9, line.get(at..).unwrap_or(line));
    }
    let of_assertion = line.strip_prefix("E ").map(str::trim_start);
    if let Some(said) = of_assertion.filter(|said| labels::has_exception_type(said) || said.starts_with("assert ")) {
        return (9, said);
    }
    if labels::has_exception_type(line) || (sql::is_error(line) && !is_summing_up(line)) {
        return (8, line);
    }
    if is_compiler_line(line) || has_code(line) || line.contains(": undefined reference to ") {
        return (8, line);
    }
    if labels::has_error_label(line) && !is_summing_up(line) {
        return (7, line);
    }
    if let Some(said) = line.strip_prefix("npm ERR! ").or(line.strip_prefix("npm error ")) {
        let is_noise = said.starts_with("code ") || said.starts_with("A complete log") || said.starts_with("errno");
        return (if is_noise { 2 } else { 7 }, said);
    }
    const ENDINGS: [&str; 4] = ["command not found", "No such file or directory", "Permission denied", ": not found"];
    if ENDINGS.iter().any(|ending| line.ends_with(ending)) {
        return (6, line);
    }
    const SAID: [&str; 5] = ["● ", "Failure/Error: ", "Failed asserting ", "** (", "panic: "];
    if SAID.iter().any(|opening| line.starts_with(opening)) || line.to_lowercase().contains("assertion failed") {
        return (6, line);
    }
    const OPENINGS: [&str; 8] = ["--- FAIL: ", "FAILED ", "FAIL ", "● ", "✕ ", "✗ ", "× ", "not ok "];
    if OPENINGS.iter().any(|opening| line.starts_with(opening)) || line.ends_with("... FAILED") {
        return (5, line);
    }
    if has_place(line) {
        return (4, line);
    }
    if last_words::verdict(line) == Some(false) {
        return (3, line);
    }
    (trouble(line), line)
}

/// How much a line of no known form tells: that something is missing or refused more than that something failed.
fn trouble(line: &str) -> u8 {
    const MISSING: [&str; 9] =
        ["could not", "cannot", "can't", "unable to", "not found", "no such", "denied", "refused", "failed with"];
    const TROUBLE: [&str; 6] = ["error", "fail", "invalid", "missing", "fehler", "erreur"];
    const NONE: [&str; 7] = ["0 error", "0 fail", "no error", "no fail", "0 fehler", "passed", "warning"];
    let small = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
    match (has(&MISSING), has(&TROUBLE)) {
        _ if has(&NONE) => 1,
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 1,
    }
}

fn is_compiler_line(line: &str) -> bool {
    [": error: ", ": fatal error: ", ": error TS"].iter().any(|sign| line.contains(sign))
        || line.contains("): error ")
        || line.starts_with("error TS")
        || last_words::is_compiler_error(line)
}

/// `a.py:3:1: …`: what a checker says of a place in a file.
fn has_place(line: &str) -> bool {
    let Some((file, rest)) = line.split_once(':') else { return false };
    let number = rest.split(':').next().unwrap_or_default();
    file.contains('.') && !file.contains(' ') && number.parse::<u32>().is_ok() && rest.contains(": ")
}

/// What is said behind a label that a build tool, a runtime or a test runner is known for.
fn named_after_label(line: &str) -> Option<&str> {
    let of_sbt = || line.strip_prefix("[error] ").filter(|said| labels::has_exception_type(said));
    let of_java = || line.strip_prefix("Exception in thread \"")?.split_once("\" ").map(|(_, said)| said);
    let of_pytest = || line.strip_prefix("FAILED ")?.split_once(" - ").map(|(_, said)| said);
    of_kotlin(line).or_else(of_sbt).or_else(of_java).or_else(of_pytest)
}

/// `e: file:///app/A.kt:3:5 Unresolved reference 'x'`: the place by the file's own name, and what was wrong there.
fn of_kotlin(line: &str) -> Option<&str> {
    let said = line.strip_prefix("e: ")?;
    let place = said.split(' ').next().unwrap_or_default();
    let start = place.rfind('/').map_or(0, |at| at + 1);
    (place.contains(".kt:") || place.contains(".kts:")).then_some(())?;
    said.get(start..)
}

/// `E0433: …`, `TS2304: …`: an error by its code.
fn has_code(line: &str) -> bool {
    let Some((code, _)) = line.split_once(": ") else { return false };
    let letters = code.trim_end_matches(|letter: char| letter.is_ascii_digit());
    code.len() <= 8
        && code.len() >= letters.len() + 3
        && (1..=3).contains(&letters.len())
        && letters.chars().all(|letter| letter.is_ascii_uppercase())
}

/// An error that only says that there were some.
fn is_summing_up(line: &str) -> bool {
    const SUMS: [&str; 8] = [
        "could not compile",
        "aborting due to",
        "test failed",
        "failed to push",
        "recipe for target",
        "build failed",
        "command failed with exit code",
        "process completed with exit code",
    ];
    let small = line.to_lowercase();
    SUMS.iter().any(|sum| small.contains(sum))
}

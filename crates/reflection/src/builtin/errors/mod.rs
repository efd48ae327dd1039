//! Whether a tool's answer is an error, and the line that says so.
//!
//! Tools hand back files, pages and logs that speak of errors without being one. So a JSON answer is judged by its
//! fields alone (`json`), and of any other text only the lines at both ends are read, where tools and shells
//! put their verdict. In doubt it is no error: a missed one makes a lesson thinner, a false one makes it wrong.

mod json;
mod refusals;
mod verdicts;

use super::words;
use refusals::is_refusal;
use verdicts::{has_exception_type, is_verdict};

pub(super) use refusals::is_passing;

/// The most characters of an error that are shown.
const ERROR_LIMIT: usize = 160;

/// How many lines at each end are read.
const LINES: usize = 8;

/// A line longer than this is data, not a verdict.
const LINE_LIMIT: usize = 400;

/// What the error says, if the answer is one. An answer that is marked as an error always is; it may say nothing.
pub(super) fn error_of(is_marked: bool, text: &str) -> Option<String> {
    match error_in(text) {
        None if is_marked => {
            let first_line = text.lines().find(|line| !line.trim().is_empty());
            Some(words::fold(first_line.unwrap_or_default(), ERROR_LIMIT))
        }
        found => found,
    }
}

/// What the error says, if the text by itself reads as one.
pub(super) fn error_in(text: &str) -> Option<String> {
    let text = text.trim();
    match json::judge(text) {
        json::Verdict::Error(message) => Some(words::fold(&message, ERROR_LIMIT)),
        json::Verdict::Fine => None,
        json::Verdict::NotJson => error_line(text).map(|line| words::fold(line, ERROR_LIMIT)),
    }
}

/// Whether the text is an exception by its type, as a program prints it: `KeyError: 'total'`.
pub(super) fn is_exception(text: &str) -> bool {
    text.starts_with("Traceback (most recent call last)") || has_exception_type(text.trim_start())
}

fn error_line(text: &str) -> Option<&str> {
    let mut first_lines = text.lines().take(LINES);
    if first_lines.any(|line| line.starts_with("Traceback (most recent call last)")) {
        return exception_line(text);
    }
    let is_short = text.len() <= LINE_LIMIT && text.lines().nth(3).is_none();
    let is_error = |line: &&str| line.len() <= LINE_LIMIT && (is_verdict(line) || (is_short && is_refusal(line)));
    if text.lines().nth(2 * LINES).is_none() {
        return text.lines().map(str::trim).find(is_error);
    }
    let top = text.lines().take(LINES);
    top.chain(text.lines().rev().take(LINES)).map(str::trim).find(is_error)
}

/// The line of a traceback that names the exception: one of the last, if not the very last.
fn exception_line(text: &str) -> Option<&str> {
    let lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last_lines: Vec<&str> = lines.take(LINES).collect();
    let named = last_lines.iter().find(|line| has_exception_type(line));
    named.or(last_lines.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_recognised_with_the_line_that_says_so() {
        let cases = [
            ("Error: order 17 is locked", "Error: order 17 is locked"),
            ("ERROR: permission denied for table users", "ERROR: permission denied for table users"),
            ("[error] build stopped", "[error] build stopped"),
            ("Fehler: Datei fehlt", "Fehler: Datei fehlt"),
            ("error[E0308]: mismatched types\n --> src/lib.rs:3:5", "error[E0308]: mismatched types"),
            ("main.c:3:5: error: expected ';'", "main.c:3:5: error: expected ';'"),
            ("fatal: not a git repository", "fatal: not a git repository"),
            ("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'total'\n", "KeyError: 'total'"),
            ("Traceback (most recent call last):\n  …cut", "…cut"),
            ("requests.exceptions.ConnectionError: refused", "requests.exceptions.ConnectionError: refused"),
            ("TimeoutError", "TimeoutError"),
            ("bash: foo: command not found", "bash: foo: command not found"),
            ("cat: a.txt: No such file or directory", "cat: a.txt: No such file or directory"),
            ("output\nProcess exited with code 2", "Process exited with code 2"),
            ("Exit code: 127", "Exit code: 127"),
            ("collected 3 items\n=== 1 failed, 2 passed in 0.1s ===", "=== 1 failed, 2 passed in 0.1s ==="),
            ("FAILED tests/test_a.py::test_b - assert 1 == 2", "FAILED tests/test_a.py::test_b - assert 1 == 2"),
            ("HTTP 503 Service Unavailable", "HTTP 503 Service Unavailable"),
            ("HTTP/1.1 404 Not Found", "HTTP/1.1 404 Not Found"),
            ("Request failed with status code 500", "Request failed with status code 500"),
            ("429 Too Many Requests", "429 Too Many Requests"),
            ("Order A17 not found", "Order A17 not found"),
            ("The request timed out after 30 s", "The request timed out after 30 s"),
            ("Kunde nicht gefunden", "Kunde nicht gefunden"),
            ("Failed to connect to db", "Failed to connect to db"),
            ("Forbidden", "Forbidden"),
        ];
        for (text, line) in cases {
            assert_eq!(error_in(text).as_deref(), Some(line), "{text}");
        }
    }

    #[test]
    fn talk_of_errors_is_not_an_error() {
        let page = format!("{}\nError handling in Rust.\n{}", "Intro.\n".repeat(20), "More.\n".repeat(20));
        let log = "2024-01-01 12:00 ERROR worker died\n2024-01-01 12:01 INFO restarted";
        let deep = format!("{}Error: in the middle\n{}", "a\n".repeat(50), "b\n".repeat(50));
        let cases = [
            "",
            "0 errors",
            "no errors found",
            "Build finished: 0 errors, 0 warnings",
            "error_rate: 0",
            "errors: 0",
            "Error: none",
            "error: null",
            "ErrorHandler registered",
            "Errors were all fixed",
            "exit code 0",
            "Process exited with code 0 after 12 s",
            "12 passed, 0 failed in 2.1s",
            "Found 3 failed payments in March",
            "0 not found",
            "not found: 0",
            "none not found",
            "HTTP 200 OK",
            "status: 201",
            "order 404 shipped",
            "404 units in stock",
            "status 4000 reached",
            "The Forbidden City opens at 8:30",
            "ok",
            page.as_str(),
            log,
            deep.as_str(),
        ];
        for text in cases {
            assert_eq!(error_in(text), None, "{text}");
        }
    }

    #[test]
    fn a_marked_answer_is_an_error_whatever_it_says() {
        assert_eq!(error_of(true, "\n sold out \nmore").as_deref(), Some("sold out"));
        assert_eq!(error_of(true, "").as_deref(), Some(""));
        assert_eq!(error_of(true, "ran\nError: disk full").as_deref(), Some("Error: disk full"));
        assert_eq!(error_of(false, "sold out"), None);
    }

    #[test]
    fn passing_errors_are_told_from_lasting_ones() {
        for error in ["HTTP 503", "Read timed out", "status code: 429", "Service Unavailable"] {
            assert!(is_passing(error), "{error}");
        }
        for error in ["HTTP 404", "order not found", "KeyError: 'x'", ""] {
            assert!(!is_passing(error), "{error}");
        }
    }
}

//! Lines that are an error by their form: a label, or the type of an exception.

/// `Error: …`, `error[E0308]: …`, `fatal: …`: a label and what went wrong, unless that is "none".
pub(super) fn has_error_label(line: &str) -> bool {
    const LABELS: [&str; 12] = [
        "error",
        "fatal",
        "fatal error",
        "exception",
        "panic",
        "fehler",
        "erreur",
        "tool error",
        "parse error",
        "runtime error",
        "error executing query",
        "error executing tool",
    ];
    if line.starts_with("error[E") || (line.starts_with("thread '") && line.contains("panicked at")) {
        return true;
    }
    let line = line.trim_start_matches(['❌', '[', '*', ' ']);
    let Some((label, said)) = line.split_once([':', ']']) else {
        return false;
    };
    LABELS.iter().any(|known| label.trim().eq_ignore_ascii_case(known)) && says_something(said)
}

/// Whether the words after a label are more than "none".
pub(super) fn says_something(said: &str) -> bool {
    let bare = said.trim().trim_matches(['"', '\'', '.', ',', '}', ']', '-', ':', ' ']).to_lowercase();
    !matches!(bare.as_str(), "" | "0" | "none" | "null" | "nil" | "false" | "no" | "n/a" | "ok" | "keine" | "[" | "{")
}

/// `KeyError: 'total'`, `java.lang.NullPointerException`: an exception's type at the start of the line.
pub(super) fn has_exception_type(line: &str) -> bool {
    let (name, said) = line.split_once(':').unwrap_or((line, "…"));
    let is_name = name.chars().all(|character| character.is_ascii_alphanumeric() || "._".contains(character));
    let kind = name.rsplit('.').next().unwrap_or(name);
    let stem = kind.strip_suffix("Error").or_else(|| kind.strip_suffix("Exception"));
    is_name
        && stem.is_some_and(|stem| stem.starts_with(|first: char| first.is_ascii_uppercase()))
        && says_something(said)
}

/// Whether the text is an exception, as a program prints it: `KeyError: 'total'`, or with the calls that led to it.
pub(in super::super) fn is_exception(text: &str) -> bool {
    // A notebook draws a line over it, and writes the name of the exception before the calls.
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && line.chars().any(|letter| letter != '-')).unwrap_or_default();
    first.starts_with(TRACEBACK) || first.ends_with(TRACEBACK) || has_exception_type(first)
}

pub(super) const TRACEBACK: &str = "Traceback (most recent call last)";

/// The line of a traceback that names the exception: one of the last, if not the very last.
pub(super) fn exception_line(text: &str) -> Option<&str> {
    let lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last_lines: Vec<&str> = lines.take(8).collect();
    let named = last_lines.iter().find(|line| has_exception_type(line));
    named.or(last_lines.first()).copied()
}

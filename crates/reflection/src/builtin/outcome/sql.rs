//! What a database answers: rows, or an error in its own words.

use super::{CallOutcome, Sign, first_line, json, labels};

/// By JSON's fields, or by the first line; anything else that came back are rows.
pub(super) fn outcome(text: &str) -> CallOutcome {
    if let json::Verdict::Error(error) = json::judge(text.trim()) {
        return CallOutcome::failed(&error, Sign::Frame);
    }
    let first = first_line(text);
    match (is_error(first), first.is_empty()) {
        (true, _) => CallOutcome::failed(error_in(text, first), Sign::Words),
        (false, true) => CallOutcome::Unknown,
        (false, false) => CallOutcome::Succeeded,
    }
}

/// Of an exception with its calls it is the line that names it.
fn error_in<'a>(text: &'a str, first: &'a str) -> &'a str {
    if first.starts_with(labels::TRACEBACK) { labels::exception_line(text).unwrap_or(first) } else { first }
}

/// Whether a line is an error of SQLite, MySQL, PostgreSQL, Oracle, SQL Server, or of what speaks to one of them.
pub(super) fn is_error(line: &str) -> bool {
    const OPENINGS: [&str; 22] = [
        "no such ",
        "relation \"",
        "table '",
        "unknown ",
        "near \"",
        "column ",
        "ora-",
        "error ",
        "sql error",
        "query failed",
        "syntax error",
        "ambiguous ",
        "duplicate ",
        "unique constraint",
        "psql:",
        "invalid object",
        "msg ",
        "function ",
        "schema \"",
        "database \"",
        "runtime error",
        "can't connect",
    ];
    const SAID: [&str; 18] = [
        "no such ",
        "doesn't exist",
        "does not exist",
        "unknown column",
        "unknown table",
        "unknown database",
        "syntax error",
        "sql syntax",
        "ambiguous",
        "constraint",
        "duplicate",
        "denied",
        "invalid object",
        "ora-",
        "near \"",
        "refused",
        "connect",
        "authentication failed",
    ];
    if line.len() > 600 || line.starts_with(['[', '|', '{', '+']) {
        return false;
    }
    if line.starts_with(labels::TRACEBACK) || labels::has_error_label(line) || labels::has_exception_type(line) {
        return true;
    }
    let small = line.to_lowercase();
    let has_number =
        small.strip_prefix('(').and_then(|rest| rest.get(..4)).is_some_and(|code| code.parse::<u16>().is_ok());
    let opens =
        has_number || small.starts_with("(psycopg2") || OPENINGS.iter().any(|opening| small.starts_with(opening));
    opens && SAID.iter().any(|said| small.contains(said))
}

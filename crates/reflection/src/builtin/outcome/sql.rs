//! What a database answers: rows, or an error in its own words.

use super::{CallOutcome, Sign, first_line, json, labels};

/// By JSON's fields, or by the first line; anything else that came back are rows.
pub(super) fn outcome(text: &str) -> CallOutcome {
    if let json::Verdict::Error(error) = json::judge(text.trim()) {
        return CallOutcome::failed(&error, Sign::Frame);
    }
    let first = first_line(text);
    if is_error(first) {
        return CallOutcome::failed(error_in(text, first), Sign::Words);
    }
    CallOutcome::known(!first.is_empty() && !asks_for_another_call(first))
}

/// Whether an answer has something in it, and is not an empty list or a count of none.
pub(in super::super) fn has_rows(printed: &str) -> bool {
    let text = printed.trim().to_lowercase();
    let last = text.lines().last().unwrap_or_default().trim();
    !matches!(text.as_str(), "" | "[]" | "()" | "{}" | "null" | "none")
        && !["(0 rows)", "0 rows"].contains(&last)
        && !["empty set", "no rows"].iter().any(|none| text.starts_with(none))
}

/// Whether what came back is no row but somebody's words to whoever called: "No SQL code was found in your last response."
fn asks_for_another_call(line: &str) -> bool {
    const CALLS: [&str; 8] = ["sql", "query", "command", "statement", "response", "tool", "call", "input"];
    if line.starts_with(['[', '(', '|', '{', '+']) || line.contains(['\t', '|']) {
        return false;
    }
    let small = line.to_lowercase();
    let mut words = small.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_spoken = words.clone().any(|word| matches!(word, "you" | "your" | "please"));
    is_spoken && words.clone().count() > 4 && words.any(|word| CALLS.contains(&word))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_ask_for_another_call_are_no_rows() {
        for text in [
            "No SQL code was found in your last response. Your response should be a SQL command.\n1. Learn more",
            "Please send one statement at a time.",
        ] {
            assert_eq!(outcome(text), CallOutcome::Unknown, "{text}");
        }
        for rows in
            ["[('Call your bank, please, with the query',)]", "note\nok", "(3 rows)", "[]", "Query OK, 1 row affected"]
        {
            assert_eq!(outcome(rows), CallOutcome::Succeeded, "{rows}");
        }
    }

    #[test]
    fn an_empty_answer_has_no_rows() {
        for none in ["", "[]", " name \n------\n(0 rows)", "Empty set (0.00 sec)"] {
            assert!(!has_rows(none), "{none}");
        }
        assert!(has_rows("[(0,)]") && has_rows("Tables_in_shop\norders"));
    }
}

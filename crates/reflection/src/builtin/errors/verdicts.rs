//! Lines that are an error by their form: labels, exceptions, exit codes, failed tests.

/// Lines that say "error" by their form, wherever they stand.
pub(super) fn is_verdict(line: &str) -> bool {
    has_error_label(line)
        || has_exception_type(line)
        || has_failed_exit(line)
        || has_failed_tests(line)
        || [": error: ", ": fatal error: ", ": error TS", "npm ERR! "].iter().any(|sign| line.contains(sign))
        || [": command not found", ": No such file or directory", ": Permission denied"]
            .iter()
            .any(|sign| line.ends_with(sign))
}

/// `Error: …`, `error[E0308]: …`, `fatal: …`: a label and what went wrong, unless that is "none".
fn has_error_label(line: &str) -> bool {
    const LABELS: [&str; 8] = ["error", "fatal", "fatal error", "exception", "panic", "fehler", "erreur", "tool error"];
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

/// An exit code other than 0: `exit code 1`, `exited with code: 2`, `exit status 127`.
fn has_failed_exit(line: &str) -> bool {
    const SIGNS: [&str; 6] =
        ["exit code", "exit_code", "exit status", "exited with code", "exited with status", "return code"];
    if !line.contains("ode") && !line.contains("tatus") {
        return false;
    }
    let small = line.to_lowercase();
    SIGNS.iter().any(|sign| {
        let after = small.split_once(sign).map(|(_, after)| after);
        let number = after.map(|after| after.trim_start_matches([':', '=', ' ', '>', 'o', 'f', '(', '-']));
        number.is_some_and(|number| number.starts_with(|digit: char| ('1'..='9').contains(&digit)))
    })
}

/// What test runners print at the end of a bad run: pytest, Go, Jest, Cargo.
fn has_failed_tests(line: &str) -> bool {
    if !line.contains("fail") && !line.contains("FAIL") {
        return false;
    }
    let is_count = |word: &str| word.parse::<u64>().is_ok_and(|count| count > 0);
    let failed = line.split([',', '=', ';']).any(|part| {
        let mut said = part.split_whitespace();
        let found = match (said.next(), said.next()) {
            (Some(count), Some("failed" | "failing")) => is_count(count),
            (Some("Tests:"), Some(count)) => is_count(count) && said.next() == Some("failed"),
            _ => false,
        };
        found && said.next().is_none_or(|next| next == "in" || next == "test" || next == "tests")
    });
    failed || ["FAILED ", "--- FAIL:", "FAIL ", "test result: FAILED"].iter().any(|sign| line.starts_with(sign))
}

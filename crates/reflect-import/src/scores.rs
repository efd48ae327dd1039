//! Scores as passes and fails.

use serde_json::Value;

/// From this score on a run has passed.
const PASSES_FROM: f64 = 0.5;

/// Whether a score says that a run was right; `None` if it says nothing about that.
pub(crate) fn passes(score: &Value) -> Option<bool> {
    match score {
        Value::Bool(passed) => Some(*passed),
        Value::Number(number) => Some(number.as_f64()? >= PASSES_FROM),
        Value::String(word) => match word.to_lowercase().as_str() {
            "pass" | "passed" | "correct" | "good" | "true" | "yes" | "positive" | "thumbs_up" => Some(true),
            "fail" | "failed" | "incorrect" | "bad" | "false" | "no" | "negative" | "thumbs_down" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// One review out of several verdicts: a run has passed if none says otherwise. What was said stands together.
pub(crate) fn review(verdicts: impl Iterator<Item = (bool, Option<String>)>) -> Option<(bool, Option<String>)> {
    let (mut passed, mut said) = (None, Vec::new());
    for (verdict, comment) in verdicts {
        passed = Some(passed.unwrap_or(true) && verdict);
        said.extend(comment.filter(|comment| !comment.trim().is_empty()));
    }
    Some((passed?, (!said.is_empty()).then(|| said.join("\n"))))
}

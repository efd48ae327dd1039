//! Feedback that is a report in JSON: checks with what they expected and got, or a reason beside a score.

use reflect_core::Tells;
use serde_json::{Map, Value};

use crate::builtin::words;

/// More failed checks than these are counted.
const CHECKS: usize = 4;

/// What a report says.
pub(super) enum Report {
    /// Somebody's words, in a field of their own.
    Words(String),
    /// The checks that failed.
    Checks { text: String, tells: Tells },
    /// No check failed, and there are no words.
    Nothing,
}

/// Reads a report; `None` where the text is no JSON object or list.
pub(super) fn read(text: &str) -> Option<Report> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let failed = failed_checks(&value);
    if failed.is_empty() {
        return Some(words_of(&value).map_or(Report::Nothing, Report::Words));
    }
    let mut sentences: Vec<String> = failed.iter().take(CHECKS).map(Check::told).collect();
    match failed.len().saturating_sub(CHECKS) {
        0 => {}
        1 => sentences.push("One more check failed.".into()),
        more => sentences.push(format!("{more} more checks failed.")),
    }
    // A check that says no more than its values is about that very task.
    let tells = if failed.iter().any(|check| !check.message.is_empty()) { Tells::Rule } else { Tells::Answer };
    Some(Report::Checks { text: sentences.join(" "), tells })
}

/// A check that failed.
#[derive(Default)]
struct Check {
    name: String,
    expected: String,
    got: String,
    message: String,
}

impl Check {
    fn told(&self) -> String {
        let Self { name, expected, got, message } = self;
        let check = match words::code(name, 80) {
            name if name.is_empty() => "A check".to_owned(),
            name => format!("The check {name}"),
        };
        match (expected.is_empty(), got.is_empty(), message.is_empty()) {
            (false, false, _) => format!("{check} expected {expected} and got {got}."),
            (false, true, _) => format!("{check} expected {expected}."),
            (true, _, false) => format!("{check} failed: {}", words::sentence(message, 300)),
            (true, _, true) => format!("{check} failed."),
        }
    }
}

const LISTS: [&str; 13] = [
    "checks",
    "results",
    "tests",
    "assertions",
    "criteria",
    "rubric",
    "rubrics",
    "scores",
    "items",
    "failures",
    "failed",
    "errors",
    "details",
];

fn failed_checks(value: &Value) -> Vec<Check> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| failed_check(item.as_object()?, "")).collect(),
        Value::Object(fields) => {
            if let Some(found) =
                LISTS.iter().find_map(|key| fields.get(*key)).map(failed_of_list).filter(|found| !found.is_empty())
            {
                return found;
            }
            match failed_check(fields, "") {
                Some(check) => vec![check],
                None => fields.iter().filter_map(|(name, item)| failed_check(item.as_object()?, name)).collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// The failed checks of a list, or of an object in which each has its name, if only with a word for how it went.
fn failed_of_list(value: &Value) -> Vec<Check> {
    let Value::Object(fields) = value else { return failed_checks(value) };
    let bare = |name: &str| Check { name: name.to_owned(), ..Check::default() };
    let failed = fields.iter().filter_map(|(name, item)| match item {
        Value::Object(check) => failed_check(check, name),
        _ => verdict(item).is_some_and(|is_pass| !is_pass).then(|| bare(name)),
    });
    failed.collect()
}

/// The check of an object, where it says that it failed, or expected another value than it got.
fn failed_check(fields: &Map<String, Value>, name: &str) -> Option<Check> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key));
    let expected = first(&["expected", "want", "wanted", "expected_value", "target"]);
    let got = first(&["got", "actual", "received", "found", "actual_value"]);
    let verdict = first(&VERDICTS).and_then(verdict).or_else(|| has_points(fields));
    let differs = expected.is_some() && got.is_some() && expected != got;
    let named = first(&["name", "check", "id", "title", "test", "field", "key", "criterion", "metric", "path"])
        .and_then(Value::as_str);
    let has_failed = match verdict {
        Some(is_pass) => !is_pass && (expected.is_some() || got.is_some() || named.is_some() || !name.is_empty()),
        None => differs,
    };
    has_failed.then(|| Check {
        name: named.unwrap_or(name).to_owned(),
        expected: expected.map(shown).unwrap_or_default(),
        got: got.map(shown).unwrap_or_default(),
        message: message(fields).unwrap_or_default(),
    })
}

/// Fields that say whether a check passed.
const VERDICTS: [&str; 12] = [
    "passed",
    "pass",
    "ok",
    "success",
    "met",
    "satisfied",
    "fulfilled",
    "achieved",
    "status",
    "result",
    "outcome",
    "verdict",
];

/// Whether a check got its points: not so with less than half of them; of more than that nobody knows.
fn has_points(fields: &Map<String, Value>) -> Option<bool> {
    let number = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key)?.as_f64());
    let (points, most) = (number(&["score", "points"])?, number(&["max", "max_score", "out_of", "max_points"]));
    let most = most.unwrap_or_default();
    match points {
        _ if points <= 0.0 || 2.0 * points < most => Some(false),
        _ if most > 0.0 && points >= most => Some(true),
        _ => None,
    }
}

fn verdict(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is_pass) => Some(*is_pass),
        Value::String(word) => match word.to_lowercase().as_str() {
            "fail" | "failed" | "error" | "false" | "no" => Some(false),
            "pass" | "passed" | "ok" | "true" | "yes" | "success" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn message(fields: &Map<String, Value>) -> Option<String> {
    let keys = [
        "message",
        "reason",
        "detail",
        "details",
        "comment",
        "explanation",
        "why",
        "feedback",
        "error",
        "rationale",
        "note",
    ];
    let said =
        keys.iter().filter_map(|key| fields.get(*key).and_then(Value::as_str)).find(|text| !text.trim().is_empty());
    said.map(str::to_owned)
}

/// The words of a report without checks: its own, or those of the first object in it that has some.
fn words_of(value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => {
            message(fields).or_else(|| fields.values().filter(|value| value.is_object()).find_map(words_of))
        }
        Value::Array(items) => items.iter().find_map(words_of),
        _ => None,
    }
}

/// A value as it is told: numbers and truth values bare, the rest in backticks.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.trim().is_empty() => "an empty text".into(),
        Value::String(text) => words::code(text, 160),
        _ => words::code(&value.to_string(), 160),
    }
}

//! Checks that requests share. Each names the field that is wrong, and says what would be right.

use std::{collections::HashMap, fmt::Display};

use reflect_core::{RawJson, TrajectoryError};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::{Limits, limits::NAME_LENGTH};

/// What is wrong with a request, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` {problem}")]
pub struct Violation {
    /// The field, as in `review.alpha` or `trajectory[3]`.
    pub path: String,
    /// What is wrong with it, as the rest of a sentence that starts with the field.
    pub problem: String,
}

impl Violation {
    pub(crate) fn new(path: impl Into<String>, problem: impl Display) -> Self {
        Self { path: path.into(), problem: problem.to_string() }
    }

    /// The same violation, one level further out. Without a path it is the parent itself that is wrong.
    pub(crate) fn under(mut self, parent: &str) -> Self {
        let joint = if self.path.is_empty() { "" } else { "." };
        self.path = format!("{parent}{joint}{}", self.path);
        self
    }
}

/// The task: what gets searched by, so it may not be empty, and it may not hold U+0000.
pub(crate) fn task(path: &str, task: &str, limits: &Limits) -> Result<(), Violation> {
    if task.trim().is_empty() {
        return Err(Violation::new(path, "is empty; say what the agent is asked to do"));
    }
    no_nul(path, task)?;
    length(path, task, limits.task_length)
}

/// A text of any content.
pub(crate) fn text(path: &str, text: &str, limits: &Limits) -> Result<(), Violation> {
    length(path, text, limits.text_length)
}

pub(crate) fn maybe_text(path: &str, value: Option<&String>, limits: &Limits) -> Result<(), Violation> {
    value.map_or(Ok(()), |value| text(path, value, limits))
}

/// A name that people or programs made up: short, and without U+0000.
pub(crate) fn name(path: &str, name: &str) -> Result<(), Violation> {
    no_nul(path, name)?;
    length(path, name, NAME_LENGTH)
}

/// A name that people read: as [`name`], but neither empty nor with control characters.
pub(crate) fn shown_name(path: &str, text: &str) -> Result<(), Violation> {
    if text.is_empty() {
        return Err(Violation::new(path, "is empty; leave its object out if nobody is to be named"));
    }
    if text.chars().any(char::is_control) {
        return Err(Violation::new(path, "holds a control character, which is not allowed here"));
    }
    name(path, text)
}

pub(crate) fn names(path: &str, names: &[String], limits: &Limits) -> Result<(), Violation> {
    list(path, names.len(), limits)?;
    (0..).zip(names).try_for_each(|(index, value): (usize, _)| name(&format!("{path}[{index}]"), value))
}

pub(crate) fn list(path: &str, length: usize, limits: &Limits) -> Result<(), Violation> {
    at_most(path, length, limits.list_length)
}

pub(crate) fn at_most(path: &str, length: usize, allowed: usize) -> Result<(), Violation> {
    if length > allowed {
        return Err(Violation::new(path, format!("has {length} elements, at most {allowed} are allowed")));
    }
    Ok(())
}

pub(crate) fn between(path: &str, value: Option<f64>, low: f64, high: f64) -> Result<(), Violation> {
    match value {
        Some(value) if !(low..=high).contains(&value) => {
            Err(Violation::new(path, format!("is {value}, it must be between {low} and {high}")))
        }
        _ => Ok(()),
    }
}

/// What is known about a run beside its words: a JSON object within bounds, whose keys are free of U+0000; absent and `null` are the
/// empty one.
pub(crate) fn metadata(path: &str, value: Option<RawJson>, limits: &Limits) -> Result<RawJson, Violation> {
    let Some(value) = value.filter(|value| value.as_str() != "null") else {
        return Ok(RawJson::empty_object());
    };
    if !value.as_str().starts_with('{') {
        return Err(Violation::new(path, "must be an object"));
    }
    // Before it is read: large metadata is refused at little cost.
    let (bytes, allowed) = (value.as_str().len(), limits.metadata_bytes);
    if bytes > allowed {
        let problem = format!("has {bytes} bytes, at most {allowed} are allowed; put what nobody filters by elsewhere");
        return Err(Violation::new(path, problem));
    }
    let stored: HashMap<String, &RawValue> =
        value.read().map_err(|error| Violation::new(path, format!("has a key that is not text: {error}")))?;
    if stored.keys().any(|key| key.contains('\0')) {
        return Err(Violation::new(path, "has a key that holds U+0000"));
    }
    let (values, allowed) = (stored.len() + elements(&stored), limits.metadata_values);
    if values > allowed {
        let problem = format!("has {values} keys and elements of lists, at most {allowed} are allowed");
        return Err(Violation::new(path, problem));
    }
    Ok(value)
}

/// How many elements the lists under all keys have.
fn elements(stored: &HashMap<String, &RawValue>) -> usize {
    let lists = stored.values().filter(|value| value.get().starts_with('['));
    lists.map(|list| serde_json::from_str::<Vec<IgnoredAny>>(list.get()).map_or(0, |list| list.len())).sum()
}

/// The value of an `Idempotency-Key` header: 1 to 256 visible characters.
pub fn idempotency_key(value: &str) -> Result<String, Violation> {
    let path = "Idempotency-Key";
    if value.is_empty() {
        return Err(Violation::new(path, "is empty; send a value that is new for each request"));
    }
    name(path, value)?;
    Ok(value.to_owned())
}

fn no_nul(path: &str, text: &str) -> Result<(), Violation> {
    if text.contains('\0') {
        return Err(Violation::new(path, "holds U+0000, which is not allowed here"));
    }
    Ok(())
}

/// Where in a trajectory, or in a conversation, something is wrong.
pub(crate) fn unreadable_trajectory(field: &str, error: TrajectoryError) -> Violation {
    match error {
        TrajectoryError::NotAMessage { index } => {
            Violation::new(format!("{field}[{index}]"), r#"must be an object such as {"role": "user", "content": "…"}"#)
        }
        other => Violation::new(field, other),
    }
}

pub(crate) fn length(path: &str, text: &str, allowed: usize) -> Result<(), Violation> {
    // Characters are counted only where the bytes leave any doubt.
    if text.len() <= allowed {
        return Ok(());
    }
    match text.chars().count() {
        found if found > allowed => {
            Err(Violation::new(path, format!("has {found} characters, at most {allowed} are allowed")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_bounded_in_bytes_and_in_what_can_be_filtered_by() {
        let limits = Limits { metadata_bytes: 100, metadata_values: 4, ..Limits::default() };
        let check = |value: serde_json::Value| {
            let checked = metadata("metadata", Some(RawJson::from_value(&value)), &limits);
            checked.map(|_| ()).map_err(|violation| violation.problem)
        };
        assert_eq!(check(json!({"a": "x".repeat(92)})), Ok(()));
        let problem = check(json!({"a": "x".repeat(93)})).unwrap_err();
        assert!(problem.starts_with("has 101 bytes, at most 100 are allowed"), "{problem}");
        assert_eq!(check(json!({"a": [1, [2, 3, 4, 5]], "b": {"c": [1, 2, 3]}})), Ok(()));
        let problem = check(json!({"a": [1, 2, 3], "b": 4})).unwrap_err();
        assert_eq!(problem, "has 5 keys and elements of lists, at most 4 are allowed");
        assert_eq!(metadata("metadata", None, &limits), Ok(RawJson::empty_object()));
    }
}

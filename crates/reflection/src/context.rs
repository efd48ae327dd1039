//! What a reflector is given to reflect on.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ReflectionHistory, ReviewedRun};

/// The occasion of a reflection: named values, and where there is one the run or the history it is about.
///
/// [`crate::GeneralReflector`] knows `input`, `output`, `error` and `iteration`, and shows every other key as well.
/// Reflectors of runs read [`Context::run`].
#[derive(Debug, Clone, Default)]
pub struct Context<'a> {
    values: Map<String, Value>,
    run: Option<&'a ReviewedRun>,
    history: Option<&'a ReflectionHistory>,
}

impl<'a> Context<'a> {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// About a run.
    pub fn of_run(run: &'a ReviewedRun) -> Self {
        Self { run: Some(run), ..Self::default() }
    }

    /// With a value under a name; a later one takes the place of an earlier one. A value that cannot be written as
    /// JSON, such as a map whose keys are no texts, is kept as null.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Serialize) -> Self {
        self.values.insert(key.into(), serde_json::to_value(value).unwrap_or(Value::Null));
        self
    }

    /// With past reflections to look back on.
    #[must_use]
    pub fn with_history(self, history: &'a ReflectionHistory) -> Self {
        Self { history: Some(history), ..self }
    }

    /// The run, if this is about one.
    pub fn run(&self) -> Option<&'a ReviewedRun> {
        self.run
    }

    /// Past reflections, if any were given.
    pub fn history(&self) -> Option<&'a ReflectionHistory> {
        self.history
    }

    /// All values, by name.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// A value as text: a text itself, anything else as JSON; `None` for what is absent or null.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.values.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}

impl From<Map<String, Value>> for Context<'_> {
    fn from(values: Map<String, Value>) -> Self {
        Self { values, ..Self::default() }
    }
}

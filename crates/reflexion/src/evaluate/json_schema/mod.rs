//! Answers that have to be JSON of a schema.

mod find;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use jsonschema::Validator;
use serde_json::Value;

use super::{clip::clipped, share};
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};
use find::{NotFound, find};

/// The most violations that are named one by one.
const NAMED_VIOLATIONS: usize = 20;

/// The most characters of one violation: it may quote the value.
const VIOLATION_LIMIT: usize = 300;

/// Passes an answer with JSON in it that keeps to this schema (draft 4 to 2020-12).
///
/// The JSON may stand alone, in a code fence, or among words. If it has to be mended to be read at all, say for a comma too many, the
/// answer fails and is told so, unless [`JsonSchema::accept_mended`] is set. The feedback lists what is wrong, and where; the score is `1 / (1 + number of
/// violations)`, and 0 without JSON. References to other documents are not followed: they are an error when the evaluator is made.
///
/// Needs the feature `json-schema`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::json_schema};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = json_schema(&json!({
///     "type": "object",
///     "required": ["total"],
///     "properties": {"total": {"type": "number", "minimum": 0}},
/// }))?;
/// assert!(evaluator.evaluate(&finished("Here it is:\n```json\n{\"total\": 42}\n```")).await?.passed());
/// let failed = evaluator.evaluate(&finished("{\"total\": -1}")).await?;
/// assert_eq!(failed.feedback, "the JSON does not keep to its schema:\n- `/total`: -1 is less than the minimum of 0");
/// # Ok(()) }
/// ```
pub fn json_schema(schema: &Value) -> Result<JsonSchema, SchemaError> {
    let validator = jsonschema::validator_for(schema).map_err(|error| SchemaError {
        location: location(error.instance_path().as_str()),
        message: error.to_string(),
    })?;
    Ok(JsonSchema { shape: find::shape(schema), validator, accepts_mended: false })
}

/// What [`json_schema()`] makes.
pub struct JsonSchema {
    validator: Validator,
    shape: reflect_llm::Shape,
    accepts_mended: bool,
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema is not valid at {location}: {message}")]
pub struct SchemaError {
    /// Where, as a JSON pointer in backticks, or `its root`.
    location: String,
    message: String,
}

impl JsonSchema {
    /// Takes JSON too that had to be mended, for users who read it the same way ([`reflect_llm::extract_json`]).
    #[must_use]
    pub fn accept_mended(self) -> Self {
        Self { accepts_mended: true, ..self }
    }

    fn violations(&self, value: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(value);
        let said = errors.map(|error| format!("{}: {error}", location(error.instance_path().as_str())));
        said.map(|said| clipped(&said, VIOLATION_LIMIT).into_owned()).collect()
    }
}

#[async_trait]
impl Evaluator for JsonSchema {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let value = match find(finished.answer(), &self.shape, self.accepts_mended) {
            Ok(value) => value,
            Err(NotFound(why)) => return Ok(Evaluation::fail(why).scored(0.0)),
        };
        let violations = self.violations(&value);
        if violations.is_empty() {
            return Ok(Evaluation::pass().scored(1.0));
        }
        let mut feedback = "the JSON does not keep to its schema:".to_owned();
        for violation in violations.iter().take(NAMED_VIOLATIONS) {
            feedback.push_str(&format!("\n- {violation}"));
        }
        let more = violations.len().saturating_sub(NAMED_VIOLATIONS);
        if more > 0 {
            feedback.push_str(&format!("\n- and {more} more"));
        }
        Ok(Evaluation::fail(feedback).scored(share(1, 1 + violations.len())))
    }
}

fn location(pointer: &str) -> String {
    if pointer.is_empty() { "its root".to_owned() } else { format!("`{pointer}`") }
}

//! The names under which this crate puts things into a result's metadata. Nothing here reads them back.

use reflect_llm::{Extracted, ParseStatus};
use serde_json::{Map, Value, json};

/// The reflector's name: a text, always there.
pub const REFLECTOR: &str = "reflector";
/// How well a model's answer could be read: `clean`, `repaired` or `fallback`.
pub const PARSE_STATUS: &str = "parse_status";
/// What had to be mended in it: a list of texts.
pub const PARSE_NOTES: &str = "parse_notes";
/// `true` where the answer could not be read and its text stands in.
pub const PARSE_ERROR: &str = "parse_error";
/// The answer as it came.
pub const RAW: &str = "raw";
/// What went wrong: a text.
pub const ERROR: &str = "error";
/// `true` where the result stands in for a reflection that failed.
pub const DEGRADED: &str = "degraded";
/// What the calls added up to: see [`crate::Spent`].
pub const SPENT: &str = "spent";
/// How many past reflections were read.
pub const HISTORY_SIZE: &str = "history_size";
/// Tools that a lesson is about: a list of texts.
pub const APPLICABLE_TOOLS: &str = "applicable_tools";
/// Tools that a run called: a list of texts.
pub const TOOLS_USED: &str = "tools_used";

/// Notes how well a model's answer could be read, and keeps it.
pub(crate) fn note_answer(metadata: &mut Map<String, Value>, found: &Extracted) {
    metadata.insert(PARSE_STATUS.to_owned(), json!(found.status));
    metadata.insert(PARSE_NOTES.to_owned(), json!(found.notes));
    metadata.insert(RAW.to_owned(), Value::String(found.raw.clone()));
    if found.status == ParseStatus::Fallback {
        metadata.insert(PARSE_ERROR.to_owned(), Value::Bool(true));
    }
}

//! Memories of mem0, as `get_all` answers them.

use reflect_core::Timestamp;
use serde_json::{Map, Value};

use crate::{
    Line,
    messages::{first_words, messages},
};

/// Whose memory it is and where it came from: kept, so that a query can filter by it.
const KEPT: [&str; 6] = ["user_id", "agent_id", "app_id", "run_id", "actor_id", "categories"];

pub(crate) fn memory(record: &Value) -> Result<Line, &'static str> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let said = text("memory").ok_or("it has no text `memory`")?;
    let asked = record.get("input").map(|input| messages(input, "user")).unwrap_or_default();
    let mut metadata = record.get("metadata").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    for name in KEPT {
        if let Some(value) = record.get(name).filter(|value| !value.is_null()) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let created_at: Option<Timestamp> = text("created_at").and_then(|time| time.parse().ok());
    let updated_at: Option<Timestamp> = text("updated_at").and_then(|time| time.parse().ok());
    Ok(Line::Memory {
        id: text("id").ok_or("it has no `id`")?.to_owned(),
        task: first_words(&asked, "user").unwrap_or_else(|| said.to_owned()),
        text: said.to_owned(),
        metadata: Value::Object(metadata),
        times: created_at.map(|created_at| (created_at, updated_at.unwrap_or(created_at))),
    })
}

//! What a judge answers, and how it is read.

use reflect_llm::{Extracted, Kind, ParseStatus, Shape};
use serde_json::{Map, Value, json};

use crate::{Analysis, ReflectionLevel, metadata_keys};

/// How many characters of an answer that could not be read become the summary.
const FALLBACK_SUMMARY: usize = 200;

/// The keys that are asked for.
const KEYS: [&str; 5] = ["summary", "key_findings", "root_causes", "insights", "suggestions"];

/// What an answer says; where it could not be read, its first words are the summary.
pub(super) fn analysis(found: &Extracted, level: ReflectionLevel) -> Analysis {
    let mut analysis = found.value.as_ref().map(read).unwrap_or_default();
    if found.status == ParseStatus::Fallback && analysis.summary.is_empty() {
        let spoken = reflect_llm::without_thinking(&found.raw);
        analysis.summary = spoken.trim().chars().take(FALLBACK_SUMMARY).collect();
    }
    if level == ReflectionLevel::Shallow {
        for list in
            [&mut analysis.key_findings, &mut analysis.root_causes, &mut analysis.insights, &mut analysis.suggestions]
        {
            list.truncate(1);
        }
    }
    metadata_keys::note_answer(&mut analysis.metadata, found);
    analysis
}

/// The most tokens of an answer. Models that think before they answer spend some of them on that.
pub(super) fn max_tokens(level: ReflectionLevel) -> u32 {
    match level {
        ReflectionLevel::Shallow => 600,
        ReflectionLevel::Medium => 1_500,
        ReflectionLevel::Deep | ReflectionLevel::Meta => 2_500,
    }
}

pub(super) fn shape() -> Shape {
    Shape::any()
        .required("summary", Kind::Text)
        .optional("key_findings", Kind::TextList)
        .optional("root_causes", Kind::TextList)
        .optional("insights", Kind::TextList)
        .optional("suggestions", Kind::TextList)
}

pub(super) fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": KEYS,
        "properties": {
            "summary": {"type": "string"}, "key_findings": texts, "root_causes": texts, "insights": texts, "suggestions": texts,
        },
    })
}

pub(super) fn read(value: &Map<String, Value>) -> Analysis {
    let list = |key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    };
    Analysis {
        summary: value.get("summary").and_then(Value::as_str).unwrap_or_default().trim().to_owned(),
        key_findings: list("key_findings"),
        root_causes: list("root_causes"),
        insights: list("insights"),
        suggestions: list("suggestions"),
        other: value
            .iter()
            .filter(|(key, _)| !KEYS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        ..Analysis::default()
    }
}

/// Adds what is not there yet, in order.
pub(super) fn add_new(texts: &mut Vec<String>, more: Vec<String>) {
    let mut known: std::collections::HashSet<String> = texts.iter().cloned().collect();
    texts.extend(more.into_iter().filter(|text| known.insert(text.clone())));
}

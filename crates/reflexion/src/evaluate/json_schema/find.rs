//! Finding the JSON in an answer.

use reflect_llm::{Kind, ParseNote, ParseStatus, Shape, extract_json, without_thinking};
use serde_json::Value;

/// Why there is nothing to hold against a schema.
pub(super) struct NotFound(pub(super) String);

/// The JSON of an answer: all of it, or its only fence, or the object in it that fits best.
pub(super) fn find(answer: &str, shape: &Shape, accepts_mended: bool) -> Result<Value, NotFound> {
    let spoken = without_thinking(answer);
    let spoken = spoken.trim();
    if let Some(value) = [Some(spoken), only_fence(spoken)].into_iter().flatten().find_map(read) {
        return Ok(value);
    }
    let found = extract_json(spoken, shape);
    let Some(object) = found.value.filter(|_| !found.notes.contains(&ParseNote::ReadLines)) else {
        return Err(NotFound("there is no JSON in the answer".to_owned()));
    };
    // An object that lacks a key is whole all the same: the schema will say what is missing.
    let is_whole = found.status == ParseStatus::Clean
        || found.notes.iter().all(|note| {
            matches!(
                note,
                ParseNote::ThinkingStripped
                    | ParseNote::Fenced
                    | ParseNote::ProseAround
                    | ParseNote::SeveralCandidates(_)
                    | ParseNote::TakenFromArray
                    | ParseNote::Unwrapped(_)
                    | ParseNote::Missing(_)
                    | ParseNote::NoObject
            )
        });
    if is_whole || accepts_mended {
        return Ok(Value::Object(object));
    }
    Err(NotFound(format!("the answer's JSON cannot be read as it is{}", position(spoken))))
}

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// Where reading stops, if the answer is meant to be JSON from its start.
fn position(text: &str) -> String {
    let text = only_fence(text).unwrap_or(text);
    match serde_json::from_str::<Value>(text) {
        Err(error) if text.starts_with(['{', '[']) => format!(": {error}"),
        _ => String::new(),
    }
}

/// What is in the fence, if there is one and no more.
fn only_fence(text: &str) -> Option<&str> {
    let mut parts = text.split("```");
    let (_, inside, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (language, body) = inside.split_once('\n')?;
    let is_language = language.trim().chars().all(|character| character.is_alphanumeric() || character == '-');
    Some(if is_language { body.trim() } else { inside.trim() })
}

/// The keys that a schema names, so that the right object is found among several.
pub(super) fn shape(schema: &Value) -> Shape {
    let texts = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<&str> = texts("required").collect();
    let shape = required.iter().fold(Shape::any(), |shape, name| shape.required(*name, Kind::Any));
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .filter(|(name, _)| !required.contains(&name.as_str()))
        .fold(shape, |shape, (name, _)| shape.optional(name.clone(), Kind::Any))
}

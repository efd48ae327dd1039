//! Turns values into what a shape asks for.

use serde_json::{Map, Number, Value};

use super::{fit::find_key, notes::Notes};
use crate::{Kind, ParseNote, Shape};

/// Keys under which models put the text of an item that they made an object.
const TEXT_KEYS: [&str; 6] = ["text", "content", "value", "description", "summary", "message"];

/// Gives every known key its own name and its value the right kind. What cannot be is left out.
pub(super) fn coerce(map: &mut Map<String, Value>, shape: &Shape, notes: &mut Notes) {
    for key in shape.keys() {
        let Some(found) = find_key(map, &key.name).cloned() else {
            note_missing(&key.name, key.required, notes);
            continue;
        };
        let Some(value) = map.remove(&found) else { continue };
        if found != key.name {
            notes.add(ParseNote::Renamed(key.name.clone()));
        }
        if is_of(&value, key.kind) {
            map.insert(key.name.clone(), value);
        } else if let Some(value) = become_kind(value, key.kind) {
            notes.add(ParseNote::Coerced(key.name.clone()));
            map.insert(key.name.clone(), value);
        } else {
            notes.add(ParseNote::Dropped(key.name.clone()));
            note_missing(&key.name, key.required, notes);
        }
    }
}

fn note_missing(name: &str, required: bool, notes: &mut Notes) {
    if required {
        notes.add(ParseNote::Missing(name.to_owned()));
    }
}

/// Whether [`coerce`] would keep this value.
pub(super) fn can_become(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text | Kind::TextList | Kind::Any => true,
        Kind::Bool | Kind::Number => is_of(value, kind) || become_kind(value.clone(), kind).is_some(),
    }
}

fn is_of(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::TextList => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        Kind::Bool => value.is_boolean(),
        // Null is how JSON says that there is no number.
        Kind::Number => value.is_number() || value.is_null(),
        Kind::Any => true,
    }
}

fn become_kind(value: Value, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Text => Some(Value::String(into_text(value))),
        Kind::TextList => Some(Value::Array(into_texts(value).into_iter().map(Value::String).collect())),
        Kind::Bool => into_bool(&value).map(Value::Bool),
        Kind::Number => into_number(&value).map(Value::Number),
        Kind::Any => Some(value),
    }
}

fn into_text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(items) => items.into_iter().map(into_text).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => text_of_object(map),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The one text that an object is about, or the object written out.
fn text_of_object(map: Map<String, Value>) -> String {
    if let Some(text) = TEXT_KEYS.iter().find_map(|key| map.get(*key)).and_then(Value::as_str) {
        return text.to_owned();
    }
    let mut values = map.values();
    match (values.next(), values.next()) {
        (Some(Value::String(text)), None) => text.clone(),
        _ => Value::Object(map).to_string(),
    }
}

fn into_texts(value: Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => split_bullets(&text),
        Value::Array(items) => items.into_iter().flat_map(into_item).collect(),
        Value::Object(map) if map.values().all(Value::is_string) && map.len() > 1 => {
            map.into_iter().map(|(key, value)| format!("{key}: {}", into_text(value))).collect()
        }
        other => vec![into_text(other)],
    }
}

fn into_item(value: Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.into_iter().flat_map(into_item).collect(),
        other => vec![into_text(other)],
    }
}

/// The items of a text that is nothing but bullets; the text itself otherwise.
fn split_bullets(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let items: Option<Vec<String>> = lines.iter().map(|line| without_bullet(line).map(str::to_owned)).collect();
    match items {
        Some(items) => items,
        None => vec![text.to_owned()],
    }
}

/// The line behind its bullet or number; `None` when it has none.
pub(super) fn without_bullet(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match line.get(digits..) {
        Some(rest) if digits > 0 => rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")),
        _ => ["- ", "* ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet)),
    };
    rest.map(str::trim)
}

fn into_bool(value: &Value) -> Option<bool> {
    let word = value.as_str()?.trim();
    if ["true", "yes"].iter().any(|yes| word.eq_ignore_ascii_case(yes)) {
        return Some(true);
    }
    ["false", "no"].iter().any(|no| word.eq_ignore_ascii_case(no)).then_some(false)
}

fn into_number(value: &Value) -> Option<Number> {
    let text = value.as_str()?.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.trim().parse().ok()?;
        return Number::from_f64(percent / 100.0);
    }
    text.parse::<i64>().map(Number::from).ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

//! Messages in the shapes that tools give them, as `role` and `content`.

use serde_json::{Map, Value, json};

/// The messages of an input or output: a list of them, one of them, such a list under a usual name, or a text said by `role`.
pub(crate) fn messages(value: &Value, role: &str) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![json!({"role": role, "content": text})],
        Value::Array(list) => list.iter().flat_map(|value| messages(value, role)).collect(),
        Value::Object(object) => match list_in(object) {
            Some(list) => messages(list, role),
            None => vec![message(object).unwrap_or_else(|| json!({"role": role, "content": value.to_string()}))],
        },
        other => vec![json!({"role": role, "content": other.to_string()})],
    }
}

/// Names under which tools put what was said.
const HOLDERS: [&str; 8] = ["messages", "input", "output", "question", "answer", "query", "text", "result"];

fn list_in(object: &Map<String, Value>) -> Option<&Value> {
    if object.contains_key("role") || object.contains_key("kwargs") || object.contains_key("content") {
        return None;
    }
    HOLDERS.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null())
}

/// One message; `None` if the object is none. LangChain names roles by types, and wraps messages when it writes them down.
fn message(object: &Map<String, Value>) -> Option<Value> {
    let inner = object.get("kwargs").and_then(Value::as_object).unwrap_or(object);
    let named = inner.get("role").or_else(|| inner.get("type")).and_then(Value::as_str);
    let role = match named? {
        "human" => "user",
        "ai" => "assistant",
        role @ ("system" | "developer" | "user" | "assistant" | "tool" | "function") => role,
        _ => return None,
    };
    let mut message = Map::new();
    message.insert("role".into(), role.into());
    message.insert("content".into(), inner.get("content").cloned().unwrap_or_default());
    for name in ["name", "tool_calls", "tool_call_id", "function_call"] {
        if let Some(value) = inner.get(name).filter(|value| !is_empty(value)) {
            message.insert(name.into(), value.clone());
        }
    }
    Some(Value::Object(message))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// The words of the first message of a role.
pub(crate) fn first_words(messages: &[Value], role: &str) -> Option<String> {
    messages.iter().filter(|message| says(message, role)).map(words).find(|words| !words.is_empty())
}

/// The words of its last message.
pub(crate) fn last_words(messages: &[Value], role: &str) -> Option<String> {
    messages.iter().rev().filter(|message| says(message, role)).map(words).find(|words| !words.is_empty())
}

fn says(message: &Value, role: &str) -> bool {
    message.get("role").and_then(Value::as_str) == Some(role)
}

/// Its content, or the text parts of it.
fn words(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

//! Whether metadata passes a filter.

use serde_json::{Map, Value};

/// Every key of `filter` must be in `metadata` with an equal value, or with a list that holds an equal value.
/// Numbers are equal when they mean the same, however they are written.
pub fn matches_metadata(metadata: &Value, filter: &Map<String, Value>) -> bool {
    filter.iter().all(|(key, wanted)| match metadata.get(key) {
        Some(Value::Array(stored)) if !wanted.is_array() => stored.iter().any(|stored| same(stored, wanted)),
        Some(stored) => same(stored, wanted),
        None => false,
    })
}

/// Whether a value of metadata reads `text`, or is a list that holds one that does. A string reads as it is; numbers, `true`,
/// `false` and `null` read as their JSON, numbers however they are written.
pub fn metadata_reads(stored: &Value, text: &str) -> bool {
    match stored {
        Value::Array(stored) => stored.iter().any(|stored| reads(stored, text)),
        stored => reads(stored, text),
    }
}

fn reads(stored: &Value, text: &str) -> bool {
    match stored {
        Value::String(stored) => stored == text,
        Value::Array(_) | Value::Object(_) => false,
        stored => serde_json::from_str(text).is_ok_and(|wanted: Value| same(stored, &wanted)),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn passes(metadata: Value, filter: Value) -> bool {
        matches_metadata(&metadata, filter.as_object().unwrap())
    }

    #[test]
    fn every_key_must_match() {
        assert!(passes(json!({"a": 1, "b": "x"}), json!({"a": 1.0, "b": "x"})));
        assert!(!passes(json!({"a": 1}), json!({"a": 1, "b": "x"})));
        assert!(!passes(json!({"a": 1}), json!({"a": "1"})));
        assert!(passes(json!({}), json!({})));
    }

    #[test]
    fn values_are_read_as_text() {
        let metadata =
            json!({"s": "1", "n": 1.5, "whole": 3, "b": true, "none": null, "o": {"a": 1}, "l": ["x", 2, ["y"]]});
        let all = [("s", "1"), ("n", "1.50"), ("n", "15e-1"), ("whole", "3"), ("whole", "3.0"), ("b", "true")];
        for (key, text) in all.into_iter().chain([("none", "null"), ("l", "x"), ("l", "2")]) {
            assert!(metadata_reads(&metadata[key], text), "{key} {text}");
        }
        let none = [("s", "1.0"), ("s", "\"1\""), ("n", "1"), ("b", "True"), ("b", "1"), ("none", ""), ("l", "y")];
        for (key, text) in none.into_iter().chain([("o", "{\"a\": 1}"), ("l", "[\"y\"]"), ("whole", "x")]) {
            assert!(!metadata_reads(&metadata[key], text), "{key} {text}");
        }
    }

    #[test]
    fn a_stored_list_matches_by_what_it_holds() {
        assert!(passes(json!({"tags": ["x", "y"]}), json!({"tags": "y"})));
        assert!(!passes(json!({"tags": ["x", "y"]}), json!({"tags": "z"})));
        assert!(passes(json!({"tags": ["x", "y"]}), json!({"tags": ["x", "y"]})));
        assert!(!passes(json!({"tags": "x"}), json!({"tags": ["x"]})));
    }
}

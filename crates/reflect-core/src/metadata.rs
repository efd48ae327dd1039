//! Whether a memory's metadata passes a filter.

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
    fn a_stored_list_matches_by_what_it_holds() {
        assert!(passes(json!({"tags": ["x", "y"]}), json!({"tags": "y"})));
        assert!(!passes(json!({"tags": ["x", "y"]}), json!({"tags": "z"})));
        assert!(passes(json!({"tags": ["x", "y"]}), json!({"tags": ["x", "y"]})));
        assert!(!passes(json!({"tags": "x"}), json!({"tags": ["x"]})));
    }
}

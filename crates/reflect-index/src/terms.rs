//! Metadata as terms: what a filter can ask for, each as 128 bits.
//!
//! A memory has a term for every key with its value, and one more for every element where the value is a list; a filter asks for
//! one term for each of its keys. Two terms are equal exactly where [`reflect_core::matches_metadata`] says that stored and wanted
//! values match: a test holds the two against each other. Terms are cut from SHA-256, so their size does not depend on what
//! people store, and nobody can make two of them meet.

use reflect_core::RawJson;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// A key with a value.
pub(crate) type Term = u128;

/// The terms of a memory, sorted, each once.
pub(crate) fn terms_of(metadata: &RawJson) -> Box<[Term]> {
    if metadata.as_str() == "{}" {
        return Box::default();
    }
    let metadata = metadata.read().unwrap_or_else(|_| readable_part(metadata));
    let mut terms = Vec::new();
    for (key, stored) in &metadata {
        terms.push(term(key, stored));
        if let Value::Array(elements) = stored {
            // A list inside the list is found by nothing: a list that is wanted is compared with the whole.
            terms.extend(elements.iter().filter(|element| !element.is_array()).map(|element| term(key, element)));
        }
    }
    terms.sort_unstable();
    terms.dedup();
    terms.into()
}

/// What a filter asks for: all of these.
pub(crate) fn wanted_by(filter: &Map<String, Value>) -> Vec<Term> {
    filter.iter().map(|(key, wanted)| term(key, wanted)).collect()
}

/// Metadata without the values that no [`Value`] can hold, such as `1e999` or a lone surrogate: they match no filter, and
/// the others still do.
fn readable_part(metadata: &RawJson) -> Map<String, Value> {
    let values: std::collections::HashMap<String, RawJson> = metadata.read().unwrap_or_default();
    values.into_iter().filter_map(|(key, value)| Some((key, value.read().ok()?))).collect()
}

fn term(key: &str, value: &Value) -> Term {
    let mut hash = Sha256::new();
    write_text(&mut hash, key);
    match value {
        // Numbers that stand on their own are equal when they mean the same; further in, as JSON values are.
        Value::Number(number) => write_tagged(&mut hash, b'~', &float_bits(number.as_f64().unwrap_or(f64::NAN))),
        other => write(&mut hash, other),
    }
    let digest = hash.finalize();
    digest.first_chunk::<16>().map_or(0, |bytes| Term::from_le_bytes(*bytes))
}

fn write(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"0"),
        Value::Bool(yes) => hash.update(if *yes { b"t" } else { b"f" }),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => write_tagged(hash, b'u', &whole.to_le_bytes()),
            (None, Some(whole)) => write_tagged(hash, b'i', &whole.to_le_bytes()),
            (None, None) => write_tagged(hash, b'd', &float_bits(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => {
            hash.update(b"s");
            write_text(hash, text);
        }
        Value::Array(elements) => {
            write_tagged(hash, b'a', &elements.len().to_le_bytes());
            elements.iter().for_each(|element| write(hash, element));
        }
        Value::Object(object) => {
            write_tagged(hash, b'o', &object.len().to_le_bytes());
            let mut sorted: Vec<(&String, &Value)> = object.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in sorted {
                write_text(hash, key);
                write(hash, value);
            }
        }
    }
}

fn write_tagged(hash: &mut Sha256, tag: u8, bytes: &[u8]) {
    hash.update([tag]);
    hash.update(bytes);
}

fn write_text(hash: &mut Sha256, text: &str) {
    hash.update(text.len().to_le_bytes());
    hash.update(text);
}

/// Equal for equal numbers: there are two zeros.
fn float_bits(number: f64) -> [u8; 8] {
    let number = if number == 0.0 { 0.0 } else { number };
    number.to_bits().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reflect_core::matches_metadata;
    use serde_json::json;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(-0.0),
            json!(1),
            json!(1.0),
            json!(-1),
            json!(-1.0),
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992_u64),
            json!(9_007_199_254_740_992.0),
            json!(""),
            json!("1"),
            json!("a"),
            json!("null"),
        ]);
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn object() -> impl Strategy<Value = Map<String, Value>> {
        prop::collection::btree_map("[abc]", value(), 0..3).prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]
        #[test]
        fn terms_match_exactly_where_metadata_does(metadata in object(), filter in object()) {
            let terms = terms_of(&RawJson::from_value(&metadata));
            let by_terms = wanted_by(&filter).iter().all(|wanted| terms.contains(wanted));
            prop_assert_eq!(by_terms, matches_metadata(&Value::Object(metadata), &filter));
        }
    }

    #[test]
    fn what_cannot_be_read_is_passed_over() {
        let terms = terms_of(&RawJson::parse(r#"{"a": 1e999, "b": 2}"#.into()).unwrap());
        assert_eq!(&*terms, wanted_by(json!({"b": 2}).as_object().unwrap()));
        assert!(terms_of(&RawJson::parse("[1]".into()).unwrap()).is_empty());
    }
}

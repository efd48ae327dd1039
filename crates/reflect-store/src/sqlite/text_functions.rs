//! What SQL asks of texts and SQLite cannot tell: it knows the case of ASCII letters alone, and its JSON is not ours in
//! every corner (numbers beyond 64 bits, lone surrogates, keys that come twice).

use std::collections::HashMap;

use reflect_core::{RawJson, metadata_reads};
use rusqlite::{Connection, functions::FunctionFlags};
use serde_json::Value;

/// Makes `hold_words(words, text, …)`, words folded and apart by blanks, and `metadata_reads(metadata, key, value)` known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("hold_words", -1, flags, |context| {
        let mut missing: Vec<&str> = context.get_raw(0).as_str()?.split_whitespace().collect();
        for index in 1..context.len() {
            if missing.is_empty() {
                break;
            }
            if let Some(text) = context.get_raw(index).as_str_or_null()? {
                let text = folded(text);
                missing.retain(|word| !text.contains(word));
            }
        }
        Ok(missing.is_empty())
    })?;
    connection.create_scalar_function("metadata_reads", 3, flags, |context| {
        let (key, value) = (context.get_raw(1).as_str()?, context.get_raw(2).as_str()?);
        let stored = value_of(context.get_raw(0).as_str()?, key);
        Ok(stored.is_some_and(|stored| metadata_reads(&stored, value)))
    })
}

/// What metadata has under a key. Other values are not looked into: one that no program can hold hides none of the rest.
fn value_of(metadata: &str, key: &str) -> Option<Value> {
    let mut values: HashMap<String, RawJson> = serde_json::from_str(metadata).ok()?;
    values.remove(key)?.read().ok()
}

/// A text without the case of its letters. Letter by letter, so that what a part of a text becomes does not depend on the
/// rest of it.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

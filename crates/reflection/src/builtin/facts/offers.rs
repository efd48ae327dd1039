//! What was offered in place of a missing name: by the error itself, by a list that the run then read, or by a name much like it.

use serde_json::Value;

use crate::builtin::{
    arguments::{changed_keys, fields, value_text},
    steps::Step,
    tries,
};

/// The names that an error lists: "Available tools: a, b".
pub(super) fn names(error: &str) -> Vec<String> {
    let small = error.to_ascii_lowercase();
    let signs = ["available", "valid tools", "known tools", "registered", "did you mean", "one of"];
    let Some(at) = signs.iter().find_map(|sign| small.find(sign)) else { return Vec::new() };
    let list = error.get(at..).and_then(|rest| rest.split_once(':')).map(|(_, list)| list).unwrap_or_default();
    let is_end = |letter: char| letter.is_whitespace() || ",;[]'\"`.?".contains(letter);
    let words = list.split(is_end).filter(|word| !word.is_empty());
    let is_name = |word: &&str| word.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
    words.take_while(is_name).map(str::to_owned).collect()
}

/// The first later call of a tool that the error lists.
pub(super) fn worked<'s, 'a: 's>(mut later: impl Iterator<Item = &'s Step<'a>>, error: &str) -> Option<&'s Step<'a>> {
    let names = names(error);
    later.find(|step| step.has_succeeded() && names.iter().any(|name| name == step.tool))
}

/// Whether a word is another spelling of a name.
pub(super) fn is_like(word: &str, name: &str) -> bool {
    word != name && word.len() > 4 && tries::alike(word, name, SPELLING)
}

/// From this share of common pairs on, a word is a spelling of another.
const SPELLING: f64 = 0.7;

/// Whether two calls differ only in the fields that had the missing name.
pub(super) fn is_renamed(before: &str, after: &str, name: &str) -> bool {
    let (Some(old), Some(new)) = (fields(before), fields(after)) else { return false };
    let changed = changed_keys(&old, &new);
    let had_name =
        |key: &&str| old.get(*key).is_some_and(|raw| value_text(raw).contains(name)) && new.contains_key(*key);
    !changed.is_empty() && changed.iter().all(had_name)
}

/// The texts of an answer in JSON that a later call has and the one that failed had not, the longest first.
pub(super) fn texts(printed: &str, before: &str, after: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(printed.trim()) else { return Vec::new() };
    let mut found = Vec::new();
    collect(&value, &mut found);
    found.retain(|text| text.len() > 2 && after.contains(text.as_str()) && !before.contains(text.as_str()));
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.dedup();
    found.truncate(2);
    found
}

/// Texts and the names of fields, at most a few hundred.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        _ if found.len() > 400 => {}
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, item)| {
            found.push(name.clone());
            collect(item, found);
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_may_list_what_there_is() {
        assert_eq!(names("Unknown tool 'a'. Available tools: find_user, get_user"), ["find_user", "get_user"]);
        assert_eq!(names("No such tool. Valid tools are: [`x_1`, `y`]."), ["x_1", "y"]);
        assert!(names("Unknown tool 'a'.").is_empty());
    }

    #[test]
    fn what_a_list_showed_is_found_in_the_call_after_it() {
        let shown = r#"{"sheets": [{"title": "Overview"}, {"title": "May 2026 (new)"}]}"#;
        assert_eq!(texts(shown, r#"{"range": "May!A1"}"#, r#"{"range": "'May 2026 (new)'!A1"}"#), ["May 2026 (new)"]);
        assert!(is_renamed(r#"{"id": 1, "range": "May!A1"}"#, r#"{"id": 1, "range": "'May 2026'!A1"}"#, "May"));
        assert!(!is_renamed(r#"{"id": 1, "range": "May!A1"}"#, r#"{"id": 2, "range": "'May 2026'!A1"}"#, "May"));
    }
}

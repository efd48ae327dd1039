//! What was offered in place of a missing name: by the error itself, by a list that the run then read, or by a name much like it.

use std::collections::HashSet;

use serde_json::Value;

use crate::builtin::{
    arguments::{changed_keys, fields, value_text},
    call::Request,
    reading,
    steps::Step,
    tries, words as texts_of,
};

/// The names that an error lists: "Available tools: a, b".
pub(super) fn names(error: &str) -> Vec<String> {
    let small = error.to_ascii_lowercase();
    let signs = ["available", "valid tools", "known tools", "registered", "did you mean", "one of"];
    if let Some((_, name)) = error.rsplit_once("Did you mean ").filter(|(_, rest)| !rest.starts_with("one of")) {
        let is_end = |letter: char| letter.is_whitespace() || ",;?()".contains(letter);
        let name = name.split(is_end).next().unwrap_or_default();
        return vec![name.trim_matches(['"', '\'', '`', '‘', '’', '.']).to_owned()];
    }
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
    let Ok(value) = serde_json::from_str::<Value>(body(printed)) else { return Vec::new() };
    let mut found = Vec::new();
    collect(&value, &mut found);
    found.retain(|text| text.len() > 2 && holds(after, text) && !before.contains(text.as_str()));
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.dedup();
    found.truncate(2);
    found
}

/// An answer without the lines of HTTP before it.
fn body(printed: &str) -> &str {
    let text = printed.trim();
    let has_head = text.starts_with("HTTP/");
    text.split_once("\n\n").filter(|_| has_head).map_or(text, |(_, body)| body.trim())
}

/// Whether a text stands in another, and not only as part of a longer word. What begins with a stroke may follow on anything.
fn holds(text: &str, piece: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    let goes_on = |at: usize| text.get(at + piece.len()..).is_some_and(|after| after.starts_with(is_part));
    let is_open = piece.starts_with(['/', '-', '@']);
    reading::names(text, piece) || (is_open && text.match_indices(piece).any(|(at, _)| !goes_on(at)))
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

/// How many new words of a call are looked at, and how many to find one among much that is shown.
pub(super) const FEW: usize = 3;
pub(super) const MANY: usize = 40;

/// The words that one call has and another has not, at most so many. A scope belongs to a name: `@org/name`.
pub(super) fn new_words(before: &Step, after: &Step, limit: usize) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.@/".contains(letter);
    let words = |step: &Step| -> Vec<String> {
        let text = match &step.request {
            Request::Command(command) => command.shown().to_owned(),
            _ => texts_of::fold(step.arguments, 2_000),
        };
        let parts = text.split(|letter: char| !is_part(letter));
        let names = parts.flat_map(|part| match part.starts_with('@') {
            true => vec![part],
            false => part.split(['@', '/']).collect(),
        });
        names.map(|word| word.trim_matches('.').to_owned()).collect()
    };
    let old: HashSet<String> = words(before).into_iter().collect();
    let mut new: Vec<String> = Vec::new();
    for word in words(after) {
        if word.chars().nth(2).is_some() && !old.contains(&word) && !new.contains(&word) && new.len() < limit {
            new.push(word);
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_may_list_what_there_is() {
        assert_eq!(names("Unknown tool 'a'. Available tools: find_user, get_user"), ["find_user", "get_user"]);
        assert_eq!(names("No such tool. Valid tools are: [`x_1`, `y`]."), ["x_1", "y"]);
        assert_eq!(names("Unrecognized name: user_hash; Did you mean user_id? at [1:35]"), ["user_id"]);
        assert!(names("Unknown tool 'a'.").is_empty());
    }

    #[test]
    fn what_a_list_showed_is_found_in_the_call_after_it() {
        let shown = r#"{"sheets": [{"title": "Overview"}, {"title": "May 2026 (new)"}]}"#;
        assert_eq!(texts(shown, r#"{"range": "May!A1"}"#, r#"{"range": "'May 2026 (new)'!A1"}"#), ["May 2026 (new)"]);
        let shown = "HTTP/1.1 200 OK\n\n{\"paths\": {\"/v2/stock\": {\"get\": {}}, \"/v2/sto\": {}}}";
        assert_eq!(texts(shown, "http://a:80/v1/stock", "http://a:80/v2/stock?x=1"), ["/v2/stock"]);
        assert!(is_renamed(r#"{"id": 1, "range": "May!A1"}"#, r#"{"id": 1, "range": "'May 2026'!A1"}"#, "May"));
        assert!(!is_renamed(r#"{"id": 1, "range": "May!A1"}"#, r#"{"id": 2, "range": "'May 2026'!A1"}"#, "May"));
    }
}

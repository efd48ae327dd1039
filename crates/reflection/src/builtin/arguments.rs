//! A call's arguments: how they are shown, and what changed between two calls.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::{memories, words};

/// The most characters of one call's arguments that are compared; what differs later counts as alike.
pub(super) const COMPARED: usize = 400;

pub(super) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// The arguments in backticks: of an object its values, by name where there are several. Empty when there are none.
pub(super) fn shown(arguments: &str, limit: usize) -> String {
    words::list(&values(arguments, limit))
}

/// How a call with these arguments is named: "`get_order` with `A-17`", or the tool alone.
pub(super) fn call(tool_name: &str, arguments: &str, limit: usize) -> String {
    match shown(arguments, limit) {
        shown if shown.is_empty() => tool_name.to_owned(),
        shown => format!("{tool_name} with {shown}"),
    }
}

/// The same with the arguments in brackets: "`get_order` (`A-17`)".
pub(super) fn bracketed(tool_name: &str, arguments: &str, limit: usize) -> String {
    match values(arguments, limit) {
        values if values.is_empty() => tool_name.to_owned(),
        values => format!("{tool_name} ({})", values.join(", ")),
    }
}

/// How many values of a call are shown.
const VALUES: usize = 3;

fn values(arguments: &str, limit: usize) -> Vec<String> {
    let Some(fields) = fields(arguments.trim()).filter(|fields| !fields.is_empty()) else {
        let plain = plain(arguments);
        return Some(words::code(&memories::without_any(&plain), limit))
            .filter(|shown| !shown.is_empty())
            .into_iter()
            .collect();
    };
    let telling = fields.iter().filter(|(key, _)| !MANNERS.contains(&key.as_str()));
    let telling: Vec<_> = telling.take(VALUES).collect();
    let each = limit / telling.len().max(1);
    let value = |raw: &RawValue| words::code(&memories::without_any(&value_text(raw)), each);
    match telling.as_slice() {
        [(_, raw)] => Some(value(raw)).filter(|shown| !shown.is_empty()).into_iter().collect(),
        several => {
            let named = several.iter().map(|(key, raw)| (words::code(key, 40), value(raw)));
            named
                .filter(|(key, value)| !key.is_empty() && !value.is_empty())
                .map(|(key, value)| format!("{key} = {value}"))
                .collect()
        }
    }
}

/// Fields that say how much is wanted of an answer, or how the call is made, and not what it is after.
const MANNERS: [&str; 22] = [
    "offset",
    "limit",
    "view_range",
    "start_line",
    "end_line",
    "head_limit",
    "timeout",
    "timeout_ms",
    "timeout_seconds",
    "description",
    "explanation",
    "workdir",
    "cwd",
    "verbose",
    "thought",
    "reason",
    "justification",
    "is_background",
    "run_in_background",
    "restart",
    "security_risk",
    "is_input",
];

/// The arguments without how the call is made: the same for calls that ask for the same.
pub(super) fn without_manner(arguments: &str) -> String {
    if arguments.len() > LONG {
        return arguments.to_owned();
    }
    match fields(arguments) {
        Some(fields) => {
            let kept = fields.iter().filter(|(key, _)| !MANNERS.contains(&key.as_str()));
            kept.map(|(key, raw)| format!("{key}={}\u{0}", raw.get())).collect()
        }
        None => arguments.trim().to_owned(),
    }
}

/// Longer arguments, in bytes, are compared as they stand.
const LONG: usize = 65_536;

/// What stood in one call and what in another, each in words; only the fields that differ, where these are few. One
/// side is empty where those fields were only added, or only left out.
pub(super) struct Change {
    pub(super) before: String,
    pub(super) after: String,
}

/// The change from one call's arguments to those of another that differ from them.
pub(super) fn change(before: &str, after: &str, limit: usize) -> Change {
    let whole = || {
        let (before, after) = (plain(before), plain(after));
        Change {
            before: quoted_near(&before, common_prefix(&before, &after), limit),
            after: quoted_near(&after, common_prefix(&before, &after), limit),
        }
    };
    let (Some(old), Some(new)) = (fields(before), fields(after)) else {
        return whole();
    };
    let changed = changed_keys(&old, &new);
    if (old.len() == 1 && new.len() == 1) || changed.is_empty() || changed.len() > 2 {
        return whole();
    }
    let each = limit / changed.len();
    let is_added = changed.iter().all(|key| !old.contains_key(*key));
    let is_left_out = changed.iter().all(|key| !new.contains_key(*key));
    let mut sides = (Vec::new(), Vec::new());
    for key in changed {
        let values = [&old, &new].map(|fields| fields.get(key).map(|raw| value_text(raw)));
        let [old_text, new_text] = values.each_ref().map(|value| value.as_deref().unwrap_or_default());
        let shared = common_prefix(old_text, new_text);
        let [was, is] = values.each_ref().map(|value| field(key, value.as_deref(), shared, each));
        sides.0.push(was);
        sides.1.push(is);
    }
    Change {
        before: if is_added { String::new() } else { words::list(&sides.0) },
        after: if is_left_out { String::new() } else { words::list(&sides.1) },
    }
}

/// The fields of an object, by name.
pub(super) fn fields(arguments: &str) -> Option<Fields<'_>> {
    serde_json::from_str(arguments).ok()
}

pub(super) fn changed_keys<'a>(old: &'a Fields, new: &'a Fields) -> Vec<&'a str> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differs = |key: &&&String| old.get(**key).map(|raw| raw.get()) != new.get(**key).map(|raw| raw.get());
    keys.iter().filter(differs).map(|key| key.as_str()).collect()
}

/// A value as it is shown: a text without its quotes and escapes, anything else as it was written.
pub(super) fn value_text(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

fn plain(arguments: &str) -> String {
    let trimmed = arguments.trim();
    if trimmed == "{}" || trimmed == "null" {
        return String::new();
    }
    let only_field = fields(trimmed).filter(|fields| fields.len() == 1).and_then(|fields| {
        let (_, raw) = fields.into_iter().next()?;
        serde_json::from_str::<String>(raw.get()).ok()
    });
    match only_field {
        Some(text) if !text.trim().is_empty() => text,
        _ => trimmed.to_owned(),
    }
}

fn field(key: &str, value: Option<&str>, shared: usize, limit: usize) -> String {
    let key = words::code(key, 40);
    match value.map(|value| quoted_near(value, shared, limit)) {
        Some(quoted) if quoted.is_empty() => format!("an empty {key}"),
        Some(quoted) => format!("{key} = {quoted}"),
        None => format!("no {key}"),
    }
}

/// How many bytes two texts share at their start.
fn common_prefix(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// The text in backticks; a long one from a few words before the place where it begins to differ.
fn quoted_near(text: &str, shared: usize, limit: usize) -> String {
    let text = memories::without_any(text);
    let is_long = text.chars().nth(limit).is_some();
    let start = word_before(text.get(..shared).unwrap_or_default(), limit / 4);
    match text.get(start..) {
        Some(rest) if is_long && start > limit / 4 => words::code(&format!("…{}", rest.trim_start()), limit),
        _ => words::code(&text, limit),
    }
}

/// Where a word begins, at least `back` characters before the end, or failing that nearer to it; at most twice that.
fn word_before(head: &str, back: usize) -> usize {
    let start = head.char_indices().rev().nth(back).map_or(0, |(at, _)| at);
    let (far, near) = head.split_at(start);
    let before = far.char_indices().rev().take(back).find(|(_, character)| character.is_whitespace());
    let after = near.find(char::is_whitespace).map(|at| start + at);
    before.map(|(at, _)| at).or(after).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_text_is_shown_bare_and_the_rest_as_it_stood() {
        assert_eq!(shown(r#"{"query":"SELECT \"a\""}"#, 40), r#"`SELECT "a"`"#);
        assert_eq!(shown(r#"{"id":7, "n":1.50, "timeout": 5}"#, 40), "`id` = `7` and `n` = `1.50`");
        assert_eq!(bracketed("`a`", r#"{"id":7, "n":1.50}"#, 40), "`a` (`id` = `7`, `n` = `1.50`)");
        assert_eq!(shown("plain text", 40), "`plain text`");
        for nothing in ["", "{}", "null", " "] {
            assert_eq!(call("`now`", nothing, 40), "`now`");
        }
    }

    #[test]
    fn old_lessons_in_arguments_are_not_shown() {
        let arguments = r#"{"prompt":"Fix it\n\n<relevant_memories>old</relevant_memories>"}"#;
        assert_eq!(shown(arguments, 80), "`Fix it`");
    }

    #[test]
    fn only_what_changed_is_told() {
        let told = |before, after| {
            let change = change(before, after, 60);
            (change.before, change.after)
        };
        let both = |before: &str, after: &str| (before.to_owned(), after.to_owned());
        assert_eq!(told(r#"{"id":"A17"}"#, r#"{"id":"A-17"}"#), both("`A17`", "`A-17`"));
        assert_eq!(told(r#"{"id":7,"tz":"UTC"}"#, r#"{"id":7,"tz":"CET"}"#), both("`tz` = `UTC`", "`tz` = `CET`"));
        assert_eq!(told(r#"{"id":7}"#, r#"{"id":7,"tz":"CET"}"#), both("", "`tz` = `CET`"));
        assert_eq!(told("ls", "ls -l"), both("`ls`", "`ls -l`"));
    }

    #[test]
    fn a_long_text_is_shown_where_it_differs() {
        let start = "SELECT a, b, c, d, e, f, g, h FROM a_table_with_a_long_name WHERE ";
        let change = change(&format!("{start}x = 1"), &format!("{start}y = 2"), 40);
        assert_eq!(change.before, "`…WHERE x = 1`");
        assert_eq!(change.after, "`…WHERE y = 2`");
    }
}

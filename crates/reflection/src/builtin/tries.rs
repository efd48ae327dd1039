//! Whether a call is another try at what an earlier one wanted.

use std::collections::{HashMap, HashSet};

use super::{
    arguments::{COMPARED, Fields, changed_keys, fields, value_text},
    reading,
};

/// Whether `after` reads as another try at what `before` wanted, rather than as a new errand of the same tool, such as
/// the next command of a shell or the next order of a list.
pub(super) fn is_another_try(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim(), after.trim());
    if before == after {
        return true;
    }
    if before.len().max(after.len()) > LONG {
        return false;
    }
    let (Some(old), Some(new)) = (fields(before), fields(after)) else {
        return alike(before, after, LOOSE);
    };
    let changed = changed_keys(&old, &new);
    let keeps_one = old.keys().any(|key| !changed.contains(&key.as_str()));
    let mut kept_or_mended = keeps_one || is_renamed(&old, &new);
    for key in changed {
        let (Some(old), Some(new)) = (old.get(key), new.get(key)) else {
            continue;
        };
        if !says_how(key) && !alike(&value_text(old), &value_text(new), LOOSE) {
            return false;
        }
        kept_or_mended = true;
    }
    kept_or_mended
}

/// Arguments of more bytes are not compared: each call would be read again for each of its tries.
const LONG: usize = 65_536;

/// Whether half of the longer words in the values of a call stand in those of another.
pub(super) fn speaks_of_the_same(before: &str, after: &str) -> bool {
    let words = |arguments: &str| -> HashSet<String> {
        let values = fields(arguments).filter(|_| arguments.len() <= LONG).unwrap_or_default();
        let texts = values.values().map(|raw| reading::lower(&value_text(raw)));
        let split = texts.flat_map(|text| {
            text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()
        });
        split.filter(|word| word.chars().nth(3).is_some()).collect()
    };
    let (old, new) = (words(before), words(after));
    let shared = new.intersection(&old).count();
    shared > 2 && 2 * shared >= new.len()
}

/// Whether the same values stand under other names.
fn is_renamed(old: &Fields, new: &Fields) -> bool {
    let values = |fields: &Fields| {
        let mut values: Vec<String> = fields.values().map(|raw| value_text(raw)).collect();
        values.sort();
        values
    };
    !old.is_empty() && values(old) == values(new)
}

/// Whether a field says how to do something rather than to what: another date or limit is still the same errand,
/// another order is not.
fn says_how(key: &str) -> bool {
    const HOW: [&str; 21] = [
        "date", "month", "year", "week", "quarter", "period", "day", "time", "start", "end", "from", "until", "format",
        "unit", "zone", "tz", "limit", "size", "count", "page", "encoding",
    ];
    key.to_lowercase().split(['_', '-']).any(|word| HOW.contains(&word))
}

/// A text up to this many bytes may be an id.
const SHORT: usize = 40;

/// From this share on, values of arguments are alike: it keeps `A17` with `A-17` and one date's spellings together, and `pytest` apart
/// from `ls`.
const LOOSE: f64 = 0.35;

/// The same for commands and statements, which share many words with any other.
pub(super) const CLOSE: f64 = 0.6;

/// Whether one text is part of the other, or shares a good part of its pairs of neighbouring characters (Dice's
/// coefficient). Short ones must also hold the same numbers: `A-17` is no other spelling of `A-18`.
pub(super) fn alike(one: &str, other: &str, share: f64) -> bool {
    if one.len() <= SHORT && other.len() <= SHORT && numbers(one) != numbers(other) {
        return false;
    }
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let is_telling = shorter.len() > 2 || shorter.contains(|character: char| character.is_ascii_digit());
    if is_telling && longer.contains(shorter) {
        return true;
    }
    let mut pairs: HashMap<(char, char), u32> = HashMap::new();
    let mut total = 0;
    for pair in neighbours(one) {
        *pairs.entry(pair).or_default() += 1;
        total += 1;
    }
    let mut shared = 0;
    for pair in neighbours(other) {
        total += 1;
        if let Some(left) = pairs.get_mut(&pair).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    shared > 0 && f64::from(2 * shared) >= share * f64::from(total)
}

fn neighbours(text: &str) -> impl Iterator<Item = (char, char)> {
    let second = text.chars().skip(1);
    text.chars().zip(second).take(COMPARED)
}

fn numbers(text: &str) -> Vec<&str> {
    let runs = text.split(|character: char| !character.is_ascii_digit());
    let mut numbers: Vec<&str> = runs.filter(|run| !run.is_empty()).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_may_speak_of_what_another_spoke_of() {
        let post = r##"{"channel":"#oncall-data","text":"The nightly export is late today"}"##;
        assert!(speaks_of_the_same(post, r#"{"to":"oncall@a.example","subject":"Nightly export is late"}"#));
        assert!(!speaks_of_the_same(
            post,
            r#"{"to":"sales@a.example","subject":"The weekly figures, export attached"}"#
        ));
        assert!(!speaks_of_the_same(post, "{}"));
    }

    #[test]
    fn another_try_is_told_from_another_errand() {
        let tries = [
            (r#"{"order_id":"A17"}"#, r#"{"order_id":"A-17"}"#),
            (r#"{"date":"tomorrow"}"#, r#"{"date":"2024-05-02"}"#),
            (r#"{"due":"03/04/2024"}"#, r#"{"due":"2024-04-03"}"#),
            (r#"{"sql":"SELECT nme FROM users"}"#, r#"{"sql":"SELECT name FROM users"}"#),
            (r#"{"room":"A","page_size":500}"#, r#"{"room":"A","page_size":100}"#),
            (r#"{"room":"A"}"#, r#"{"room":"A","seats":4}"#),
            (r#"{"id":7}"#, r#"{"order_id":7}"#),
            ("pytest test", "pytest tests"),
        ];
        for (before, after) in tries {
            assert!(is_another_try(before, after), "{before} {after}");
        }
        let errands = [
            (r#"{"command":"pytest"}"#, r#"{"command":"ls"}"#),
            (r#"{"path":"a/readme.md"}"#, r#"{"path":"src/x"}"#),
            (r#"{"order_id":"A-17"}"#, r#"{"order_id":"A-18"}"#),
            (r#"{"id":7,"lines":true}"#, r#"{"id":8,"lines":true}"#),
            (r#"{"a":1}"#, r#"{"b":2}"#),
            ("{}", r#"{"b":2}"#),
        ];
        for (before, after) in errands {
            assert!(!is_another_try(before, after), "{before} {after}");
        }
    }
}

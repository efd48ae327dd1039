//! How well an object fits a shape.

use serde_json::{Map, Value};

use super::coerce::can_become;
use crate::{Kind, Shape, ShapeKey};

/// How well an object fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// It has everything that is required, and something that is known.
    pub(super) fits: bool,
    /// How many of the known keys it has. When any object fits: whether it has any key at all.
    pub(super) known_keys: usize,
}

/// Looks at the keys and at whether their values can become what the shape asks for.
pub(super) fn fit(map: &Map<String, Value>, shape: &Shape) -> Fit {
    if shape.keys().is_empty() {
        return Fit { fits: true, known_keys: usize::from(!map.is_empty()) };
    }
    let has = |key: &&ShapeKey| {
        find_key(map, &key.name).and_then(|name| map.get(name)).is_some_and(|value| can_become(value, key.kind))
    };
    let known_keys = shape.keys().iter().filter(has).count();
    let complete = shape.keys().iter().filter(|key| key.required).all(|key| has(&key));
    Fit { fits: complete && known_keys > 0, known_keys }
}

/// Whether an object inside another one may be the answer: what is required is there in its own kind. A schema that describes the
/// answer has the same keys, with objects under them.
pub(super) fn fits_as_it_is(map: &Map<String, Value>, shape: &Shape) -> bool {
    let plain = |key: &ShapeKey| match find_key(map, &key.name).and_then(|name| map.get(name)) {
        Some(Value::Object(_)) => matches!(key.kind, Kind::Any),
        Some(_) => true,
        None => !key.required,
    };
    fit(map, shape).fits && shape.keys().iter().all(plain)
}

/// The key of the object that is meant by `name`: itself, or one that is only spelt otherwise.
pub(super) fn find_key<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a String> {
    if let Some((key, _)) = map.get_key_value(name) {
        return Some(key);
    }
    map.keys().find(|key| same_name(key, name))
}

/// Whether two names differ in case and separators alone: `keyFindings`, `Key findings`, `key-findings`.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let mut letters = plain_letters(one);
    plain_letters(other).all(|letter| letters.next() == Some(letter)) && letters.next().is_none()
}

fn plain_letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|character| !matches!(character, '_' | '-' | ' ')).flat_map(char::to_lowercase)
}

//! Numbers, and words without quotes.

use serde_json::{Number, Value};

use super::{cursor::Cursor, notes::Notes};
use crate::ParseNote;

/// What a word without quotes stands for.
pub(super) enum Bare {
    Value(Value),
    /// A text, since nothing else makes sense of it.
    Guessed(Value),
    /// The reply ended in it, so more of it may be missing.
    CutOff,
    /// Not a word.
    Nothing,
}

/// Reads the number or the word that is here.
pub(super) fn read_bare(cursor: &mut Cursor<'_>, notes: &mut Notes) -> Bare {
    let word = cursor
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'%' | b'$'));
    if word.is_empty() {
        return Bare::Nothing;
    }
    if cursor.is_at_end() {
        return Bare::CutOff;
    }
    match word {
        "true" => return Bare::Value(Value::Bool(true)),
        "false" => return Bare::Value(Value::Bool(false)),
        "null" => return Bare::Value(Value::Null),
        _ => {}
    }
    if let Ok(number) = word.parse::<Number>() {
        return Bare::Value(Value::Number(number));
    }
    if let Some(value) = odd_literal(word).or_else(|| odd_number(word)) {
        notes.add(ParseNote::Literals);
        return Bare::Value(value);
    }
    notes.add(ParseNote::Quotes);
    Bare::Guessed(Value::String(word.to_owned()))
}

fn odd_literal(word: &str) -> Option<Value> {
    let word = word.trim_start_matches(['+', '-']);
    if word.eq_ignore_ascii_case("true") {
        return Some(Value::Bool(true));
    }
    if word.eq_ignore_ascii_case("false") {
        return Some(Value::Bool(false));
    }
    ["null", "none", "nil", "undefined", "nan", "infinity", "inf"]
        .iter()
        .any(|nothing| word.eq_ignore_ascii_case(nothing))
        .then_some(Value::Null)
}

/// `+1`, `.5`, `5.`, `007`, `1_000`, and numbers that are too large to be held.
fn odd_number(word: &str) -> Option<Value> {
    let plain: String = word.chars().filter(|character| *character != '_').collect();
    if !plain.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(Value::Number(whole.into()));
    }
    let float: f64 = plain.parse().ok()?;
    Some(Number::from_f64(float).map_or(Value::Null, Value::Number))
}

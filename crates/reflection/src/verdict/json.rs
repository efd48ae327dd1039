//! A verdict in a JSON object.

use reflect_llm::{Kind, ParseNote, ParseStatus, Shape, extract_json};
use serde_json::{Map, Value};

use super::{
    ReadVerdict, Verdict, VerdictSource,
    words::{Word, announces_quotation, is_one_of, negates, verdict_word, words},
};

/// The verdict of the object in a reply; `None` where there is no object that speaks of one. An object in the middle of
/// a sentence is a quotation and not looked at.
pub(super) fn read(spoken: &str) -> Option<ReadVerdict> {
    let shape = Shape::any()
        .optional("verdict", Kind::Any)
        .optional("success", Kind::Any)
        .optional("passed", Kind::Any)
        .optional("confidence", Kind::Number)
        .optional("explanation", Kind::Text);
    let found = extract_json(spoken, &shape);
    let value = found.value.filter(|_| found.status != ParseStatus::Fallback)?;
    let opens_a_line = || spoken.lines().map(after_tag).any(|line| line.starts_with(['{', '[', '`']));
    if found.notes.contains(&ParseNote::ProseAround) && !opens_a_line() {
        return None;
    }
    let verdict = match verdict(&value)? {
        Verdict::Pass if is_nested(&found.notes) => Verdict::unknown("the verdict is part of something else"),
        Verdict::Pass if is_doubted(spoken) => Verdict::unknown("the text around the JSON casts doubt on it"),
        verdict => verdict,
    };
    Some(ReadVerdict {
        verdict,
        confidence: value.get("confidence").and_then(Value::as_f64).and_then(super::lines::as_share),
        explanation: explanation(&value),
        source: VerdictSource::Json,
    })
}

/// The line without the tag that it begins with, as in `<answer>{…}</answer>`.
fn after_tag(line: &str) -> &str {
    let line = line.trim_start();
    let inside = line.strip_prefix('<').and_then(|line| line.split_once('>'));
    inside.filter(|(tag, _)| tag.chars().all(char::is_alphanumeric)).map_or(line, |(_, inside)| inside.trim_start())
}

/// The judge's own envelopes.
const ENVELOPES: &str = "verdict judgement judgment evaluation result answer response arguments parameters";

/// Whether the object was found inside another one that is no envelope of the judge's own.
fn is_nested(notes: &[ParseNote]) -> bool {
    let is_foreign = |key: &String| !is_one_of(ENVELOPES, &key.to_lowercase());
    notes.iter().any(|note| matches!(note, ParseNote::Unwrapped(key) if is_foreign(key)))
}

/// Whether the words before the object announce a quotation, or those around it go back on it or tie it to a condition, or
/// another object says something else.
fn is_doubted(spoken: &str) -> bool {
    let (before, after) = (spoken.split('{').next().unwrap_or_default(), spoken.rsplit('}').next().unwrap_or_default());
    let announced = before.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('`'));
    let quotes = announced.is_some_and(announces_quotation);
    let doubts = |word: &str| {
        negates(word)
            || matches!(verdict_word(word), Some(Word::Fail | Word::Neither))
            || matches!(word, "however" | "but")
    };
    let squeezed: String =
        spoken.chars().filter(|character| !character.is_whitespace()).collect::<String>().to_lowercase();
    let conditions = announced.into_iter().chain([after]).any(|text| words(text).any(super::words::conditions));
    let mut named = squeezed.split("\"verdict\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let says_otherwise = named.any(|named| !matches!(verdict_word(named), Some(Word::Pass)));
    quotes || conditions || words(after).any(doubts) || says_otherwise
}

fn verdict(value: &Map<String, Value>) -> Option<Verdict> {
    let named = value.get("verdict").map(named_verdict);
    let flags = ["success", "passed"].iter().filter_map(|key| value.get(*key)).map(flag);
    let mut said: Vec<Verdict> = named.into_iter().chain(flags).collect();
    let first = said.pop()?;
    if said.iter().all(|other| other.as_str() == first.as_str()) {
        return Some(first);
    }
    Some(Verdict::unknown("the JSON contradicts itself"))
}

/// A text that is one verdict word and nothing else.
fn named_verdict(value: &Value) -> Verdict {
    match value.as_str().map(|text| verdict_word(text.trim().trim_end_matches(['.', '!']))) {
        Some(Some(Word::Pass)) => Verdict::Pass,
        Some(Some(Word::Fail)) => Verdict::Fail,
        Some(Some(Word::Neither)) => Verdict::unknown("the judge cannot tell"),
        _ => Verdict::Unknown(format!("`{}` is no verdict", crate::plain::shortened(&value.to_string(), 60))),
    }
}

fn flag(value: &Value) -> Verdict {
    match value {
        Value::Bool(true) => Verdict::Pass,
        Value::Bool(false) => Verdict::Fail,
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" => Verdict::Pass,
            "false" | "no" => Verdict::Fail,
            _ => Verdict::unknown("the flag is neither true nor false"),
        },
        _ => Verdict::unknown("the flag is neither true nor false"),
    }
}

fn explanation(value: &Map<String, Value>) -> String {
    let keys = ["explanation", "reason", "reasoning", "feedback"];
    let text = keys.iter().find_map(|key| value.get(*key).and_then(Value::as_str)).unwrap_or_default();
    crate::plain::shortened(text.trim(), super::EXPLANATION_LIMIT)
}

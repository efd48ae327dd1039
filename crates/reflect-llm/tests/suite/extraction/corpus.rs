//! The corpus of replies, and what must come out of them.

use std::collections::BTreeSet;

use reflect_llm::{ParseStatus, extract_json};

use crate::extraction::reader::{Expected, note_word, read_corpus};

#[test]
fn the_corpus_has_enough_cases_with_names_of_their_own() {
    let cases = read_corpus();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert!(cases.len() >= 120, "{} cases", cases.len());
    assert_eq!(names.len(), cases.len());
}

#[test]
fn the_corpus_never_calls_nothing_clean() {
    for case in read_corpus() {
        assert!(case.status == ParseStatus::Fallback || case.expected != Expected::None, "{}", case.name);
    }
}

#[test]
fn every_reply_gives_what_its_case_says() {
    let mut wrong = Vec::new();
    for case in read_corpus() {
        let found = extract_json(&case.reply, &case.shape);
        let notes: Vec<String> = found.notes.iter().map(note_word).collect();
        let value_is_right = match &case.expected {
            Expected::Value(value) => found.value.as_ref() == Some(value),
            Expected::Some => found.value.is_some(),
            Expected::None => found.value.is_none(),
        };
        let notes_are_right = case.notes.iter().all(|note| notes.contains(note));
        if found.status != case.status || !value_is_right || !notes_are_right || found.raw != case.reply {
            let value = found.value.map(|value| serde_json::Value::Object(value).to_string()).unwrap_or_default();
            let value: String = value.chars().take(300).collect();
            wrong.push(format!("{}: {:?} {notes:?} {value}", case.name, found.status));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

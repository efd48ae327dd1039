//! What holds for any text, and for any JSON that was mutilated.

use proptest::prelude::*;
use reflect_llm::{ParseNote, ParseStatus, extract_json, extract_json_counting};
use serde_json::{Map, Value, json};

use crate::extraction::reader::shape;

/// Pieces that mean something to the extractor, so that arbitrary text is not mere noise.
fn piece() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        ":",
        ",",
        "\\",
        "\n",
        " ",
        "```",
        "json",
        "<think>",
        "</think>",
        "<reasoning>",
        "//",
        "/*",
        "*/",
        "#",
        "\"summary\"",
        "summary",
        "\"insights\": [",
        "true",
        "None",
        "-1.5e3",
        "\\u00e9",
        "\\ud83d",
        "“",
        "”",
        "«",
        "，",
        "：",
        "...",
        "…",
        "\u{feff}",
        "\u{a0}",
        "\"\"\"",
        "[THINK]",
        "<html",
        "- ",
        "**",
        "{\"summary\": \"x\"}",
        "NaN",
        "0x1f",
        "%",
    ]);
    prop_oneof![4 => marks.prop_map(str::to_owned), 1 => any::<String>(), 1 => "[a-z ]{0,8}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

/// Any JSON, not too deep.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::String),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(prop_oneof![any::<String>(), text()], inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// An object of the shape `lesson` with whatever else in it.
fn lesson() -> impl Strategy<Value = Map<String, Value>> {
    let rest = prop::collection::btree_map("[a-z]{1,3}[0-9]", json_value(), 0..4);
    (text(), prop::collection::vec(text(), 0..4), rest).prop_map(|(summary, insights, rest)| {
        let mut map: Map<String, Value> = rest.into_iter().collect();
        map.insert("summary".into(), summary.into());
        map.insert("insights".into(), insights.into());
        map
    })
}

fn written(map: &Map<String, Value>, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(map).unwrap() } else { serde_json::to_string(map).unwrap() }
}

fn check_anything(reply: &str) {
    for name in ["lesson", "verdict", "loose", "any"] {
        let (found, steps) = extract_json_counting(reply, &shape(name));
        assert_eq!(found.raw, reply);
        assert!(steps <= 40 * reply.len() as u64 + 200, "{steps} steps for {} bytes", reply.len());
        assert!(found.value.is_some() || found.status == ParseStatus::Fallback);
        let missing = found.notes.iter().any(|note| matches!(note, ParseNote::Missing(_)));
        assert!(!missing || found.status == ParseStatus::Fallback);
        let Some(value) = found.value else { continue };
        if name == "lesson" && found.status != ParseStatus::Fallback {
            assert!(value["summary"].is_string());
            assert!(value.get("insights").is_none_or(Value::is_array));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_an_answer_in_linear_steps(reply in text()) {
        check_anything(&reply);
    }

    #[test]
    fn valid_json_of_the_shape_comes_out_clean_and_whole(map in lesson(), pretty in any::<bool>()) {
        let found = extract_json(&written(&map, pretty), &shape("lesson"));
        prop_assert_eq!(found.value, Some(map));
        prop_assert_eq!((found.status, found.notes), (ParseStatus::Clean, vec![]));
    }

    #[test]
    fn any_valid_object_is_read_as_serde_reads_it(value in json_value()) {
        let map = Map::from_iter([("it".to_owned(), value)]);
        let reply = written(&map, false);
        let found = extract_json(&reply, &shape("any"));
        prop_assert_eq!(found.value, Some(serde_json::from_str(&reply).unwrap()));
        prop_assert_eq!(found.status, ParseStatus::Clean);
    }

    #[test]
    fn words_and_a_fence_around_change_nothing(map in lesson(), before in "[a-zA-Z ,.!]{0,40}", fenced in any::<bool>()) {
        let object = written(&map, true);
        let reply = if fenced { format!("{before}\n```json\n{object}\n```\nDone.") } else { format!("{before}: {object}\nDone.") };
        let found = extract_json(&reply, &shape("lesson"));
        prop_assert_eq!(found.value, Some(map));
        prop_assert_eq!(found.status, ParseStatus::Clean);
    }

    #[test]
    fn a_draft_in_a_thinking_block_never_wins(draft in lesson(), answer in lesson()) {
        let draft = written(&draft, false).replace("</think", "");
        let reply = format!("<think>{draft}</think>\n{}", written(&answer, false));
        let found = extract_json(&reply, &shape("lesson"));
        prop_assert_eq!(found.value, Some(answer));
    }

    #[test]
    fn a_cut_never_invents_anything(map in lesson(), cut in any::<prop::sample::Index>()) {
        let object = written(&map, false);
        let at = cut.index(object.len());
        let at = (0..=at).rev().find(|at| object.is_char_boundary(*at)).unwrap();
        let reply = object.get(..at).unwrap();
        check_anything(reply);
        let found = extract_json(reply, &shape("lesson"));
        if at > 0 {
            prop_assert_ne!(found.status, ParseStatus::Clean);
        }
        // What is inside other values may be an answer of its own; then it is said.
        let inner = |note: &ParseNote| matches!(note, ParseNote::Unwrapped(_) | ParseNote::DoubleEncoded);
        if found.status == ParseStatus::Repaired && !found.notes.iter().any(inner) {
            let (value, whole) = (found.value.unwrap(), map["summary"].as_str().unwrap());
            prop_assert!(whole.starts_with(value["summary"].as_str().unwrap()), "{:?} of {:?}", value, whole);
            let all = map["insights"].as_array().unwrap();
            let kept = value.get("insights").and_then(Value::as_array).map_or(0, Vec::len);
            prop_assert!(kept <= all.len());
        }
    }

    #[test]
    fn mutilated_json_gives_an_answer(map in lesson(), wounds in prop::collection::vec((any::<prop::sample::Index>(), piece(), 0..4usize), 1..6)) {
        let mut characters: Vec<char> = written(&map, true).chars().collect();
        for (place, piece, removed) in wounds {
            let at = place.index(characters.len() + 1);
            let end = (at + removed).min(characters.len());
            characters.splice(at..end, piece.chars());
        }
        check_anything(&characters.into_iter().collect::<String>());
    }
}

//! Reads the corpus of replies; `tests/corpus/README.md` says how it is written.

use std::path::Path;

use reflect_llm::{Kind, ParseStatus, Shape};
use serde_json::{Map, Value};

/// What must come out of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expected {
    /// Exactly this.
    Value(Map<String, Value>),
    /// Anything.
    Some,
    /// Nothing.
    None,
}

/// One reply.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// What it is about.
    pub(crate) name: String,
    /// What is looked for, by name.
    pub(crate) shape_name: String,
    /// What is looked for.
    pub(crate) shape: Shape,
    /// How it must be found.
    pub(crate) status: ParseStatus,
    /// What must be among the notes, in the spelling of [`note_word`].
    pub(crate) notes: Vec<String>,
    /// The reply.
    pub(crate) reply: String,
    /// What must come out.
    pub(crate) expected: Expected,
}

/// Every case of the corpus, file by file.
pub(crate) fn read_corpus() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files.iter().flat_map(|path| read_file(&std::fs::read_to_string(path).unwrap())).collect()
}

/// The shapes that cases name.
pub(crate) fn shape(name: &str) -> Shape {
    const LISTS: [&str; 4] = ["key_findings", "root_causes", "insights", "suggestions"];
    let lists = |shape: Shape| LISTS.iter().fold(shape, |shape, key| shape.optional(*key, Kind::TextList));
    match name {
        "lesson" => lists(Shape::any().required("summary", Kind::Text)),
        "loose" => lists(Shape::any().optional("summary", Kind::Text)),
        "verdict" => Shape::any()
            .required("verdict", Kind::Text)
            .optional("reason", Kind::Text)
            .optional("score", Kind::Number)
            .optional("passed", Kind::Bool),
        "any" => Shape::any(),
        other => panic!("there is no shape `{other}`"),
    }
}

/// A note as the corpus writes it: `truncated`, `coerced(insights)`.
pub(crate) fn note_word(note: &impl serde::Serialize) -> String {
    match serde_json::to_value(note).unwrap() {
        Value::String(word) => word,
        Value::Object(map) => {
            let (word, detail) = map.into_iter().next().unwrap();
            format!("{word}({})", detail.as_str().map_or_else(|| detail.to_string(), str::to_owned))
        }
        other => panic!("a note that is neither a word nor an object: {other}"),
    }
}

fn read_file(text: &str) -> Vec<Case> {
    let mut lines = text.split('\n').peekable();
    let mut cases = Vec::new();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("## ") else {
            assert!(line.trim().is_empty(), "outside of any case: {line}");
            continue;
        };
        let (mut shape_name, mut status, mut notes) = (None, None, Vec::new());
        let escaped = loop {
            let line = lines.next().unwrap_or_else(|| panic!("`{name}` has no reply"));
            match line.split_once(": ") {
                Some(("shape", value)) => shape_name = Some(value),
                Some(("status", value)) => status = Some(serde_json::from_value(value.into()).unwrap()),
                Some(("notes", value)) => notes = value.split(", ").map(str::to_owned).collect(),
                Some(("why", _)) => {}
                _ if line == "<<<" => break false,
                _ if line == "<<< json" => break true,
                _ => panic!("`{name}` has an odd line: {line}"),
            }
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != ">>>").collect();
        let body = body.join("\n");
        let mut value = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("## ")) {
            value.push_str(line);
        }
        let shape_name = shape_name.unwrap_or_else(|| panic!("`{name}` has no shape"));
        cases.push(Case {
            name: name.to_owned(),
            shape_name: shape_name.to_owned(),
            shape: shape(shape_name),
            status: status.unwrap_or_else(|| panic!("`{name}` has no status")),
            notes,
            reply: if escaped { unescaped(&body) } else { body },
            expected: expected(name, value.trim()),
        });
    }
    cases
}

fn unescaped(body: &str) -> String {
    match serde_json::from_str(body).unwrap() {
        Value::String(reply) => reply,
        Value::Array(pieces) => pieces
            .iter()
            .map(|piece| piece[0].as_str().unwrap().repeat(piece[1].as_u64().unwrap().try_into().unwrap()))
            .collect(),
        other => panic!("neither a text nor a list of pieces: {other}"),
    }
}

fn expected(name: &str, value: &str) -> Expected {
    match value {
        "none" => Expected::None,
        "some" => Expected::Some,
        json => Expected::Value(serde_json::from_str(json).unwrap_or_else(|error| panic!("`{name}`: {error}: {json}"))),
    }
}

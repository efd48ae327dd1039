//! Reads the JSON object out of what a model said.
//!
//! One pass over the reply, aware of strings and escapes, finds every object in it; what cannot be read ends where it stops making
//! sense, and the pass goes on from there. So the time is linear in the reply, whatever it holds. It prefers the whole reply, then
//! fences, then the object that fits the expected shape best, and among equals the last. Nothing is done silently: the status
//! and the notes say what was, and the reply is kept.

mod bare;
mod blanks;
mod choose;
mod coerce;
mod cursor;
mod escapes;
mod fit;
mod frames;
mod lines;
mod notes;
mod object;
mod quoted;
mod scan;
mod thinking;

use choose::{Chosen, choose};
use coerce::coerce;
use lines::read_lines;
use notes::Notes;
use scan::{Scan, scan};

use crate::{Extracted, ParseNote, ParseStatus, Shape};

/// Finds the object of this shape in a reply.
///
/// ```
/// use reflect_llm::{Kind, ParseStatus, Shape, extract_json};
///
/// let shape = Shape::any().required("summary", Kind::Text).optional("insights", Kind::TextList);
/// let found = extract_json("Sure! {'summary': 'Check the date.', 'insights': 'formats differ',}", &shape);
/// assert_eq!(found.status, ParseStatus::Repaired);
/// let value = found.value.unwrap();
/// assert_eq!(value["summary"], "Check the date.");
/// assert_eq!(value["insights"], serde_json::json!(["formats differ"]));
/// ```
pub fn extract_json(text: &str, shape: &Shape) -> Extracted {
    extract_json_counting(text, shape).0
}

/// A reply without what its model thought aloud. Thinking that never ends goes on to the end of the reply; thinking that began
/// before the reply did goes from its start.
///
/// ```
/// assert_eq!(reflect_llm::without_thinking("<think>Pass?</think>I cannot tell."), "I cannot tell.");
/// ```
pub fn without_thinking(text: &str) -> String {
    scan(text).said.into_iter().filter_map(|part| text.get(part)).collect()
}

/// The same, and how many steps it took: a look at a byte is one. For tests that hold it to being linear.
pub fn extract_json_counting(text: &str, shape: &Shape) -> (Extracted, u64) {
    let reply = text.trim_matches(is_blank);
    if reply.is_empty() {
        return (nothing(text, ParseNote::Empty), text.len() as u64);
    }
    if is_web_page(reply) {
        return (nothing(text, ParseNote::WebPage), text.len() as u64);
    }
    let mut found = scan(reply);
    let chosen = choose(&mut found, shape, 0);
    let mut steps = found.steps + chosen.as_ref().map_or(0, |chosen| chosen.steps);
    let chosen = match chosen {
        Some(chosen) if chosen.fits => Some(chosen),
        // What has only some of the keys is kept for the case that nothing else reads the reply better.
        partial => read_otherwise(reply, shape, &mut steps).or(partial),
    };
    let extracted = match chosen {
        Some(chosen) => finish(text, shape, &found, chosen),
        None => read_as_lines(text, reply, shape, &found),
    };
    (extracted, steps)
}

/// Replies that are JSON in disguise: a JSON text that holds the object, an object with all its quotes escaped, or one without its
/// braces.
fn read_otherwise(reply: &str, shape: &Shape, steps: &mut u64) -> Option<Chosen> {
    let mut disguises: Vec<(String, ParseNote)> = Vec::new();
    if let Ok(text) = serde_json::from_str::<String>(reply) {
        disguises.push((text, ParseNote::DoubleEncoded));
    } else if reply.contains("\\\"") {
        disguises.push((unescape_once(reply), ParseNote::DoubleEncoded));
    } else if reply.starts_with(['"', '\'']) {
        disguises.push((format!("{{{reply}}}"), ParseNote::Brackets));
    }
    for (text, note) in disguises {
        let mut found = scan(&text);
        let chosen = choose(&mut found, shape, 1);
        *steps += found.steps;
        if let Some(mut chosen) = chosen.filter(|chosen| chosen.fits) {
            *steps += chosen.steps;
            chosen.notes.add(note);
            return Some(chosen);
        }
    }
    None
}

/// Takes one level of backslashes away.
fn unescape_once(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(quoted @ ('"' | '\\' | '\'' | '/')) => plain.push(quoted),
            Some(other) => plain.extend(['\\', other]),
            None => {}
        }
    }
    plain
}

fn finish(text: &str, shape: &Shape, found: &Scan, chosen: Chosen) -> Extracted {
    let mut notes = surroundings(found);
    notes.extend(chosen.notes);
    let mut map = chosen.map;
    coerce(&mut map, shape, &mut notes);
    let status = match (chosen.fits, notes.are_clean()) {
        (false, _) => ParseStatus::Fallback,
        (true, true) => ParseStatus::Clean,
        (true, false) => ParseStatus::Repaired,
    };
    Extracted { value: Some(map), status, notes: notes.into_vec(), raw: text.to_owned() }
}

fn read_as_lines(text: &str, reply: &str, shape: &Shape, found: &Scan) -> Extracted {
    let said: String = found.said.iter().filter_map(|range| reply.get(range.clone())).collect();
    let mut notes = surroundings(found);
    if found.thinking_unclosed {
        notes.add(ParseNote::ThinkingUnclosed);
    }
    let mut map = read_lines(&said, shape);
    if map.is_empty() {
        notes.add(ParseNote::NoObject);
        return Extracted { value: None, status: ParseStatus::Fallback, notes: notes.into_vec(), raw: text.to_owned() };
    }
    notes.add(ParseNote::ReadLines);
    coerce(&mut map, shape, &mut notes);
    Extracted { value: Some(map), status: ParseStatus::Fallback, notes: notes.into_vec(), raw: text.to_owned() }
}

fn surroundings(found: &Scan) -> Notes {
    let mut notes = Notes::default();
    if found.thinking_stripped {
        notes.add(ParseNote::ThinkingStripped);
    }
    if found.prose {
        notes.add(ParseNote::ProseAround);
    }
    notes
}

fn nothing(text: &str, note: ParseNote) -> Extracted {
    Extracted { value: None, status: ParseStatus::Fallback, notes: vec![note], raw: text.to_owned() }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// Proxies answer pages in passing; objects in their scripts are no answers.
fn is_web_page(reply: &str) -> bool {
    ["<!doctype html", "<html"].iter().any(|start| {
        reply.as_bytes().get(..start.len()).is_some_and(|here| here.eq_ignore_ascii_case(start.as_bytes()))
    })
}

//! Chooses among the objects of a reply.

use serde_json::{Map, Value};

use super::{
    fit::{fit, fits_as_it_is},
    notes::Notes,
    scan::{Candidate, Scan, scan},
};
use crate::{ParseNote, Shape};

/// Texts inside texts inside texts: more is nobody's answer.
const MOST_ENCODINGS: usize = 3;

/// The object that was chosen.
pub(super) struct Chosen {
    pub(super) map: Map<String, Value>,
    pub(super) notes: Notes,
    pub(super) fits: bool,
    pub(super) steps: u64,
}

/// The best object: one that fits before one that has only some of the keys; in a fence before outside; itself before inside another;
/// with more known keys; whole before broken; last before first.
pub(super) fn choose(found: &mut Scan, shape: &Shape, encodings: usize) -> Option<Chosen> {
    let candidates = std::mem::take(&mut found.candidates);
    let (open, said): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.in_open_thinking);
    let best = best_of(said, shape, encodings);
    if best.as_ref().is_some_and(|chosen| chosen.fits) {
        return best;
    }
    // A thinking block that never ended: only what ends the reply can be its answer.
    let last = open.into_iter().next_back().filter(|candidate| found.ends_with(candidate));
    let last = best_of(last.into_iter().collect(), shape, encodings).filter(|chosen| chosen.fits);
    last.map(|mut chosen| {
        chosen.notes.add(ParseNote::ThinkingUnclosed);
        chosen
    })
    .or(best)
}

fn best_of(candidates: Vec<Candidate>, shape: &Shape, encodings: usize) -> Option<Chosen> {
    let mut best: Option<(_, Chosen)> = None;
    let mut fitting = 0;
    let mut steps = 0;
    for candidate in candidates {
        let (fenced, sound) = (candidate.fenced, candidate.sound);
        let own = fit(&candidate.map, shape);
        let (chosen, direct) = if own.fits {
            (own_choice(candidate, true), true)
        } else {
            match unwrap(&candidate.map, shape, encodings, &mut steps) {
                Some((map, notes)) => (inner_choice(candidate, map, notes), false),
                None if own.known_keys > 0 => (own_choice(candidate, false), true),
                None => continue,
            }
        };
        fitting += usize::from(chosen.fits);
        let known_keys = fit(&chosen.map, shape).known_keys;
        let rank = (chosen.fits, fenced, direct, known_keys, sound);
        if best.as_ref().is_none_or(|(best_rank, _)| rank >= *best_rank) {
            best = Some((rank, chosen));
        }
    }
    best.map(|((_, fenced, ..), mut chosen)| {
        let mut notes = Notes::default();
        if fenced {
            notes.add(ParseNote::Fenced);
        }
        if fitting > 1 {
            notes.add(ParseNote::SeveralCandidates(fitting));
        }
        notes.extend(std::mem::take(&mut chosen.notes));
        Chosen { notes, steps, ..chosen }
    })
}

fn own_choice(candidate: Candidate, fits: bool) -> Chosen {
    let mut notes = candidate.notes;
    if candidate.in_array {
        notes.add(ParseNote::TakenFromArray);
    }
    Chosen { map: candidate.map, notes, fits, steps: 0 }
}

fn inner_choice(candidate: Candidate, map: Map<String, Value>, inner: Notes) -> Chosen {
    let mut chosen = own_choice(candidate, true);
    chosen.map = map;
    chosen.notes.extend(inner);
    chosen
}

/// The one object inside `map` that fits as it is. `None` if several fit: nobody said which of them is meant.
fn unwrap(
    map: &Map<String, Value>,
    shape: &Shape,
    encodings: usize,
    steps: &mut u64,
) -> Option<(Map<String, Value>, Notes)> {
    let mut found: Option<(Map<String, Value>, Notes)> = None;
    let mut open: Vec<(&str, &Value)> = map.iter().map(|(key, value)| (key.as_str(), value)).collect();
    while let Some((key, value)) = open.pop() {
        *steps += 1;
        let one = match value {
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (key, item)));
                continue;
            }
            Value::Object(inner) if fits_as_it_is(inner, shape) => (inner.clone(), Notes::default()),
            Value::Object(inner) => {
                open.extend(inner.iter().map(|(key, value)| (key.as_str(), value)));
                continue;
            }
            Value::String(text) => match decode(text, shape, encodings, steps) {
                Some(decoded) => decoded,
                None => continue,
            },
            _ => continue,
        };
        if found.is_some() {
            return None;
        }
        let (map, mut notes) = one;
        notes.add(ParseNote::Unwrapped(key.to_owned()));
        found = Some((map, notes));
    }
    found
}

/// The object that a text holds, if it fits.
fn decode(text: &str, shape: &Shape, encodings: usize, steps: &mut u64) -> Option<(Map<String, Value>, Notes)> {
    if encodings >= MOST_ENCODINGS || !text.contains('{') {
        return None;
    }
    let mut found = scan(text);
    let chosen = choose(&mut found, shape, encodings + 1);
    *steps += found.steps;
    let mut chosen = chosen?;
    *steps += chosen.steps;
    chosen.notes.add(ParseNote::DoubleEncoded);
    chosen.fits.then_some((chosen.map, chosen.notes))
}

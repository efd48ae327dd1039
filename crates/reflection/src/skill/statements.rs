//! From lessons to statements, and which of an earlier version still hold.

use std::collections::HashSet;

use reflect_core::{Memory, MemoryId};

use super::{SkillRequest, Statement, Statements, document, select, select::Picks};
use crate::plain;

/// The most characters of a statement.
const LIMIT: usize = 500;

/// From this share of words in common on, two statements are one.
const SAME: f64 = 0.8;

/// Below this quality, what a memory of a passed run says does not work any more.
const NO_LONGER: f64 = 0.1;

/// Below this share of its longer words, a statement is no longer what its memories say: their lessons were rewritten. Models put
/// things in words of their own but keep names, so it is low.
const STILL_SAID: f64 = 0.34;

/// From this many letters on, a word counts as one of the longer ones.
const LONGER: usize = 5;

/// Statements of the chosen lessons, after those that were kept. What a kept one stands on is not said again.
pub(super) fn from_lessons(picks: &Picks<'_>, kept: Statements, request: &SkillRequest<'_>) -> Statements {
    let mut statements = kept;
    add(&mut statements.what_works, picks.passed.iter().map(|memory| (memory.id, what_works(memory))));
    add(&mut statements.pitfalls, picks.failed.iter().map(|memory| (memory.id, pitfall(memory))));
    limited(statements, request)
}

/// What was kept and stands on nothing that is said anew, before what is said anew.
pub(super) fn joined(kept: Statements, new: Statements, request: &SkillRequest<'_>) -> Statements {
    let join = |mut kept: Vec<Statement>, new: Vec<Statement>| {
        let cited: HashSet<MemoryId> = new.iter().flat_map(|statement| &statement.memory_ids).copied().collect();
        kept.retain(|statement| statement.memory_ids.iter().all(|id| !cited.contains(id)));
        kept.extend(new);
        kept
    };
    let what_works = join(kept.what_works, new.what_works);
    limited(Statements { what_works, pitfalls: join(kept.pitfalls, new.pitfalls) }, request)
}

/// A skill that is refined again and again must not grow without end: the oldest words give way.
fn limited(mut statements: Statements, request: &SkillRequest<'_>) -> Statements {
    let keep_newest = |list: &mut Vec<Statement>, limit: usize| {
        let excess = list.len().saturating_sub(limit.saturating_mul(2));
        list.drain(..excess);
    };
    keep_newest(&mut statements.what_works, request.n_passed);
    keep_newest(&mut statements.pitfalls, request.n_failed);
    statements
}

/// The statements of a document that still stand on something.
pub(super) fn still_holding(content: &str, request: &SkillRequest<'_>) -> Statements {
    let before = document::read(content);
    let known = |id: &MemoryId| request.memories.iter().find(|memory| memory.id == *id);
    let holding = |list: Vec<Statement>, passed: bool| -> Vec<Statement> {
        let held = list.into_iter().filter_map(|mut statement| {
            let said = words(&statement.text);
            let supports = |memory: &Memory| {
                memory.success == Some(passed)
                    && (!passed || select::quality(memory) >= NO_LONGER)
                    && share_said(&said, memory) >= STILL_SAID
            };
            statement.memory_ids.retain(|id| known(id).is_some_and(supports));
            (!statement.memory_ids.is_empty()).then_some(statement)
        });
        held.collect()
    };
    Statements { what_works: holding(before.what_works, true), pitfalls: holding(before.pitfalls, false) }
}

fn add(list: &mut Vec<Statement>, new: impl Iterator<Item = (MemoryId, String)>) {
    for (id, text) in new {
        if text.is_empty() || list.iter().any(|statement| statement.memory_ids.contains(&id)) {
            continue;
        }
        let said = words(&text);
        match list.iter_mut().find(|statement| overlap(&said, &words(&statement.text)) >= SAME) {
            Some(same) => same.memory_ids.push(id),
            None => list.push(Statement { text, memory_ids: vec![id] }),
        }
    }
}

fn what_works(memory: &Memory) -> String {
    let lesson = &memory.lesson;
    sentences(&[&lesson.correct_action, &lesson.guidance])
}

fn pitfall(memory: &Memory) -> String {
    let lesson = &memory.lesson;
    let way_out = if lesson.correct_action.trim().is_empty() { &lesson.guidance } else { &lesson.correct_action };
    match (one_line(&lesson.key_mistake), one_line(way_out)) {
        (mistake, way_out) if mistake.is_empty() => plain::shortened(&way_out, LIMIT),
        (mistake, way_out) if way_out.is_empty() => plain::shortened(&mistake, LIMIT),
        (mistake, way_out) => {
            let mistake = plain::shortened(&mistake, LIMIT / 2);
            format!("{mistake} Instead: {}", plain::shortened(&way_out, LIMIT / 2))
        }
    }
}

/// Texts after each other, those that say nothing new left out.
fn sentences(texts: &[&str]) -> String {
    let mut joined = String::new();
    for text in texts.iter().map(|text| one_line(text)) {
        if !text.is_empty() && overlap(&words(&text), &words(&joined)) < SAME {
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(&text);
        }
    }
    plain::shortened(&joined, LIMIT)
}

/// A text on one line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    let visible: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> HashSet<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn overlap(left: &HashSet<String>, right: &HashSet<String>) -> f64 {
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// How many of a statement's words are in the lesson that it stands on.
fn share_said(said: &HashSet<String>, memory: &Memory) -> f64 {
    let lesson = words(&memory.lesson.text());
    let longer: Vec<&String> = said.iter().filter(|word| word.chars().count() >= LONGER).collect();
    let telling: Vec<&String> = if longer.is_empty() { said.iter().collect() } else { longer };
    let shared = telling.iter().filter(|word| lesson.contains(**word)).count();
    if telling.is_empty() { 0.0 } else { shared as f64 / telling.len() as f64 }
}

//! The reviewer's words as part of a lesson.

use std::collections::HashSet;

use reflect_core::Tells;

use super::{evidence::Evidence, told::Told};

/// Said after words that speak of the run's own names and numbers.
const OWN_VALUES: &str = "Names and numbers in this are those of that task; take yours from the task at hand.";

/// What the reviewer said; a judge's words under its name. `None` where the words only judge.
pub(super) fn read(evidence: &Evidence) -> Option<Told> {
    let tells = evidence.feedback.tells?;
    let mut text = words(evidence);
    if tells == Tells::Rule && quotes_the_answer(evidence) {
        text = format!("{text} {OWN_VALUES}");
    }
    Some(Told::new(tells, text, &[]))
}

/// A text by someone else after the reviewer's words. Those that only answer this task are no part of what is told to others.
pub(super) fn before(text: &str, evidence: &Evidence) -> String {
    let is_for_others = evidence.feedback.is_telling() && evidence.feedback.tells != Some(Tells::Answer);
    let is_reviewers = is_for_others && !evidence.is_judged_by_a_model;
    let mut parts = if is_reviewers { vec![words(evidence)] } else { Vec::new() };
    if !parts.iter().any(|said| said.contains(text)) {
        parts.push(text.to_owned());
    }
    if has_own_values(text, evidence) || (is_reviewers && quotes_the_answer(evidence)) {
        parts.push(OWN_VALUES.to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn words(evidence: &Evidence) -> String {
    let text = &evidence.feedback.text;
    if evidence.is_judged_by_a_model { format!("An automatic judge: {text}") } else { text.clone() }
}

/// Whether the words quote what the run answered: in quotation marks, or an id or a number that is written like none by chance. Any
/// other word or number may be the rule's own.
fn quotes_the_answer(evidence: &Evidence) -> bool {
    let text = &evidence.feedback.text;
    let answer = &evidence.answer;
    let is_quoted = quoted(text).any(|quote| quote.chars().nth(2).is_some() && answer.contains(quote));
    let is_id = |word: &str| {
        let has = |is: fn(char) -> bool| word.contains(is);
        word.chars().nth(4).is_some()
            && has(|letter| letter.is_ascii_digit())
            && has(|letter| letter.is_alphabetic() || matches!(letter, '/' | '-' | '_'))
    };
    is_quoted || text.split_whitespace().map(bare).any(|word| is_id(word) && names(answer, word))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

fn names(answer: &str, word: &str) -> bool {
    super::reading::names(answer, word)
}

/// The pieces of a text between quotation marks of one kind.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    const MARKS: [(char, char); 5] = [('“', '”'), ('„', '“'), ('«', '»'), ('"', '"'), ('`', '`')];
    MARKS.into_iter().flat_map(move |(open, close)| {
        let pieces = text.split(open).skip(1);
        let pieces = pieces.step_by(if open == close { 2 } else { 1 });
        pieces.filter_map(move |rest| if open == close { Some(rest) } else { rest.split(close).next() })
    })
}

/// Whether another's text repeats a name or a number of the task. What looks like one: a word with a digit in it, or one with a
/// capital letter that does not open a sentence.
fn has_own_values(text: &str, evidence: &Evidence) -> bool {
    let of_task: HashSet<&str> = values(evidence.task).collect();
    values(text).any(|value| of_task.contains(value))
}

fn values(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(char::is_whitespace).enumerate();
    pieces.filter_map(|(position, piece)| {
        let value = bare(piece);
        let is_value = value.contains(|letter: char| letter.is_ascii_digit())
            || (position > 0 && value.starts_with(char::is_uppercase) && value.chars().nth(1).is_some());
        is_value.then_some(value)
    })
}

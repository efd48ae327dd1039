//! The reviewer's words as part of a lesson.

use std::collections::HashSet;

use super::{evidence::Evidence, words::Paragraph};

/// Said after words that speak of the run's own names and numbers.
const OWN_VALUES: &str = "Names and numbers in this are those of that task; take yours from the task at hand.";

/// Adds what the reviewer said, as the reviewer's, and whether it speaks of that run's own values. Nothing where the words
/// only judge.
pub(super) fn add_to(paragraph: &mut Paragraph, evidence: &Evidence) {
    add_words(paragraph, evidence);
    if evidence.feedback.sentences.iter().any(|sentence| has_own_values(sentence, evidence)) {
        paragraph.add(OWN_VALUES);
    }
}

/// A text by someone else after the reviewer's words.
pub(super) fn before(text: &str, evidence: &Evidence) -> String {
    let mut words = Paragraph::new();
    if !evidence.is_judged_by_a_model {
        add_words(&mut words, evidence);
    }
    let mut parts = vec![words.into_text()];
    if !parts.iter().any(|said| said.contains(text)) {
        parts.push(text.to_owned());
    }
    if parts.iter().any(|part| has_own_values(part, evidence)) {
        parts.push(OWN_VALUES.to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn add_words(paragraph: &mut Paragraph, evidence: &Evidence) {
    let mut sentences = evidence.feedback.sentences.iter();
    let Some(first) = sentences.next() else { return };
    paragraph.add(&format!("{}: {first}", evidence.reviewer()));
    for sentence in sentences {
        paragraph.add(sentence);
    }
}

/// Whether the text repeats a name or a number of the task. What looks like one: a word with a digit in it, or one with a
/// capital letter that does not open a sentence.
fn has_own_values(text: &str, evidence: &Evidence) -> bool {
    let of_task: HashSet<&str> = values(evidence.task).collect();
    values(text).any(|value| of_task.contains(value))
}

fn values(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(char::is_whitespace).enumerate();
    pieces.filter_map(|(position, piece)| {
        let value = piece.trim_matches(|letter: char| !letter.is_alphanumeric());
        let is_value = value.contains(|letter: char| letter.is_ascii_digit())
            || (position > 0 && value.starts_with(char::is_uppercase) && value.chars().nth(1).is_some());
        is_value.then_some(value)
    })
}

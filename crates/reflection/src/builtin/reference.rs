//! What the reference says that bears on the run.

use std::collections::HashSet;

use super::{evidence::Evidence, reading, words};

/// A reference up to this many characters is quoted whole, a longer one by its most fitting sentence.
const WHOLE: usize = 200;

/// The part of the reference that shares most words with the feedback and the task, in quotation marks; of equal ones
/// the first. Empty when there is no reference.
pub(super) fn quoted(evidence: &Evidence) -> String {
    let reference = evidence.reference;
    let is_data = reference.starts_with(['{', '[', '<']);
    if is_data || reference.chars().nth(WHOLE).is_none() {
        return words::speech(reference, WHOLE);
    }
    let cues = [evidence.feedback.whole.as_str(), evidence.task];
    let cues: HashSet<String> =
        cues.iter().flat_map(|text| reading::telling_words(text).take(400).collect::<Vec<_>>()).collect();
    let mut best = (0, "");
    for sentence in reading::sentences(reference) {
        let shared: HashSet<String> = reading::telling_words(sentence).filter(|word| cues.contains(word)).collect();
        if shared.len() > best.0 || best.1.is_empty() {
            best = (shared.len(), sentence);
        }
    }
    words::speech(best.1, WHOLE)
}

/// Whether the answer holds the whole reference, as words of its own.
pub(super) fn is_in_answer(evidence: &Evidence) -> bool {
    if evidence.reference.chars().nth(WHOLE).is_some() {
        return false;
    }
    let reference = words::fold(evidence.reference, WHOLE).to_lowercase();
    let reference = reference.trim_end_matches('.');
    let answer = words::fold(&evidence.answer, 4_000).to_lowercase();
    !reference.is_empty() && reading::names(&answer, reference)
}

//! Feedback that is no more than the right answer.

use crate::builtin::reading;

/// What an answer is announced with. After the first ones it may be any words, after the others only a value: "it should be in
/// grams" is a rule.
const ANY: [&str; 10] = [
    "the correct answer is",
    "the right answer is",
    "correct answer:",
    "right answer:",
    "the answer is",
    "expected answer:",
    "die richtige antwort ist",
    "die richtige antwort lautet",
    "la respuesta correcta es",
    "la bonne réponse est",
];
const VALUE: [&str; 10] = [
    "it should have been",
    "it should be",
    "the answer should be",
    "should have been",
    "should be",
    "expected:",
    "expected",
    "correct:",
    "richtig ist",
    "richtig wäre",
];

/// Words that make a rule of a number.
const RULES: &str = "a after all alle always an and any at avoid be before below bis by call check do don't each every first for from if \
    immer in is it keep last least less max maximum mehr min mindestens minimum more most must möglichst never nie nach nicht no not nur \
    of on only or over per please round should than the then to under until use vor when wenn with without within write";

const UNITS: &str = "euro euros eur usd dollar dollars pounds kg g mg km m cm mm l ml uhr am pm utc cet percent prozent january february \
    march april may june july august september october november december januar februar märz mai juni juli oktober dezember";

/// The answer, where the sentence has nothing else. `has_judged` is whether a judgement stood before it, `is_reference` whether the
/// reviewer gave what the run was held against.
pub(super) fn read(sentence: &str, has_judged: bool, is_reference: bool) -> Option<&str> {
    let text = sentence.trim();
    let after = |openings: &[&str]| {
        let opening = openings.iter().find(|opening| starts_with(text, opening))?;
        let rest = text.get(opening.len()..)?;
        rest.starts_with([' ', ':']).then_some(()).or(opening.ends_with(':').then_some(()))?;
        Some(rest.trim_start_matches([':', ' '])).filter(|rest| !rest.is_empty())
    };
    if let Some(rest) = after(&ANY) {
        return (rest.split_whitespace().nth(12).is_none()).then_some(rest);
    }
    if let Some(rest) = after(&VALUE) {
        return is_value(rest).then_some(rest);
    }
    let is_short = text.split_whitespace().nth(8).is_none();
    ((is_reference && is_short) || is_value(text) || (has_judged && is_name(text))).then_some(text)
}

fn starts_with(text: &str, opening: &str) -> bool {
    text.get(..opening.len()).is_some_and(|start| start.to_lowercase() == opening)
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

/// A number or an id, with its unit: `DE811907980`, `85 euros`, `12 March 2026`.
fn is_value(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let has_digit = |word: &&str| word.contains(|letter: char| letter.is_ascii_digit());
    let is_part = |word: &&str| has_digit(word) || reading::lists(UNITS, &word.to_lowercase());
    words.len() <= 4 && words.iter().any(has_digit) && words.iter().all(is_part)
}

/// A name after a judgement: "Wrong. Lisbon."
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let is_part = |word: &&str| {
        let small = word.to_lowercase();
        let is_verdict = ["ed", "ing", "ion", "ly", "te", "ig", "lich"].iter().any(|ending| small.ends_with(ending));
        word.starts_with(char::is_uppercase)
            && word.chars().nth(1).is_some()
            && !is_verdict
            && !reading::lists(RULES, &small)
    };
    words.len() <= 3 && !text.contains([',', ':']) && words.iter().all(is_part)
}

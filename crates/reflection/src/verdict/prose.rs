//! A verdict in a sentence.

use super::{
    Verdict,
    words::{self, Word, verdict_word},
};

/// How many words before a verdict word are looked at for a negation and for what the sentence is about.
const REACH: usize = 5;

/// What one sentence says.
#[derive(Default, Clone, Copy)]
struct Said {
    pass: bool,
    fail: bool,
    /// A verdict word that is about something smaller, such as one call, and only casts doubt.
    doubt_of_fail: bool,
    doubt_of_pass: bool,
}

/// The verdict of the sentences, where they say one and the same; `None` where they say nothing.
pub(super) fn read(spoken: &str) -> Option<Verdict> {
    let mut all = Said::default();
    for sentence in sentences(spoken) {
        let said = sentence_says(sentence);
        all.pass |= said.pass;
        all.fail |= said.fail;
        all.doubt_of_fail |= said.doubt_of_fail;
        all.doubt_of_pass |= said.doubt_of_pass;
    }
    match (all.pass, all.fail) {
        (false, false) => None,
        (true, false) if !all.doubt_of_fail => Some(Verdict::Pass),
        (false, true) if !all.doubt_of_pass => Some(Verdict::Fail),
        _ => Some(Verdict::unknown("the sentences say pass and fail")),
    }
}

/// Whether the text after a pass goes back on it.
pub(super) fn takes_back(text: &str) -> bool {
    sentences(text).any(|sentence| {
        words::words(sentence).take(3).any(words::retracts)
            && (names_fail(sentence) || matches!(read(sentence), Some(Verdict::Fail)))
    })
}

/// Whether a word for failing stands alone as a sentence, or in capitals, outside quotation marks.
pub(super) fn names_fail(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let unquoted = without_quotes(sentence);
        let mut said = words::words(&unquoted).peekable();
        let Some(first) = said.next() else { return false };
        let alone = said.peek().is_none() && verdict_word(first) == Some(Word::Fail);
        let loud = |word: &str| verdict_word(word) == Some(Word::Fail) && word.chars().all(char::is_uppercase);
        let agent_failed = || takes_agent_failing(&unquoted);
        alone || loud(first) || said.any(loud) || agent_failed()
    })
}

fn takes_agent_failing(sentence: &str) -> bool {
    let said: Vec<&str> = words::words(sentence).collect();
    said.windows(2)
        .any(|pair| matches!(pair, [who, what] if is_about_the_run(who) && verdict_word(what) == Some(Word::Fail)))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', ';', '\n', '。']).filter(|sentence| !sentence.trim().is_empty())
}

fn sentence_says(sentence: &str) -> Said {
    let unquoted = without_quotes(sentence);
    let said: Vec<&str> = words::words(&unquoted).collect();
    let mut found = Said::default();
    let is_question = sentence.trim_end().ends_with('?');
    if let Some(word) = concluding_word(&unquoted) {
        match word {
            Word::Fail => return Said { fail: true, ..found },
            Word::Pass => return Said { pass: !is_question, ..found },
            Word::Neither => {}
        }
    }
    let is_hedged = is_question || said.iter().any(|word| words::hedges(word));
    for (place, word) in said.iter().enumerate() {
        let before = said.get(place.saturating_sub(REACH)..place).unwrap_or_default();
        let negated = before.iter().any(|word| words::negates(word));
        let about_the_run = before.iter().any(|word| is_about_the_run(word));
        let loud = word.len() > 3 && word.chars().all(char::is_uppercase);
        match verdict_word(word) {
            Some(Word::Pass) if is_hedged => {}
            Some(Word::Pass) if negated => found.fail = true,
            Some(Word::Pass) if loud || names_it(before) => found.pass = true,
            Some(Word::Pass) => found.doubt_of_pass = true,
            Some(Word::Fail) if is_hedged && !loud => found.doubt_of_fail = true,
            Some(Word::Fail) if negated || is_hedged => found.doubt_of_fail = true,
            Some(Word::Fail) if loud || about_the_run => found.fail = true,
            Some(Word::Fail) => found.doubt_of_fail = true,
            _ => {}
        }
    }
    found
}

/// The word after the last colon, where it is all that follows and the sentence leads up to it: `so: FAIL`. A pass needs
/// to be announced as a verdict, for anything can be printed after a colon.
fn concluding_word(sentence: &str) -> Option<Word> {
    let (before, after) = sentence.rsplit_once(':')?;
    let mut after = words::words(after);
    let word = verdict_word(after.next()?)?;
    if after.next().is_some() {
        return None;
    }
    let mut leading = words::words(before);
    let announced =
        leading.any(|word| matches!(word.to_lowercase().as_str(), "so" | "verdict" | "therefore" | "hence"));
    let reported = words::words(before).any(|word| matches!(word, "printed" | "wrote" | "said" | "of"));
    match word {
        Word::Pass => announced.then_some(word),
        _ => (!reported).then_some(word),
    }
}

fn is_about_the_run(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "agent" | "run" | "task" | "attempt" | "it" | "this" | "assistant" | "trajectory" | "overall"
    )
}

/// Whether a word for passing is being given as the verdict: "this is a pass", "I call it a success".
fn names_it(before: &[&str]) -> bool {
    matches!(before, [.., verb, "a" | "an"] if matches!(verb.to_lowercase().as_str(), "is" | "was" | "it" | "this" | "as"))
        || matches!(before, [.., "is" | "was", "a", "clear" | "full" | "complete"])
}

/// The sentence with what stands in quotation marks left out: those are somebody's words, and not the judge's.
fn without_quotes(sentence: &str) -> String {
    let mut kept = String::with_capacity(sentence.len());
    let mut inside = false;
    for character in sentence.chars() {
        match character {
            '"' => inside = !inside,
            '“' | '«' => inside = true,
            '”' | '»' => inside = false,
            other if !inside => kept.push(other),
            _ => {}
        }
    }
    kept
}

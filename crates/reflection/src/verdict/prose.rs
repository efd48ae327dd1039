//! A verdict in a sentence.

use super::{
    Verdict,
    words::{self, Word, verdict_word},
};

/// How many words before a verdict word are looked at for a negation and for what the sentence is about.
const REACH: usize = 5;

/// What sentences say.
#[derive(Default, Clone, Copy)]
struct Said {
    pass: bool,
    fail: bool,
    /// A word for passing that may be about something smaller, such as one call.
    maybe_pass: bool,
    /// The same for failing.
    maybe_fail: bool,
}

/// The verdict of the sentences, where they say one and the same; `None` where they say nothing.
pub(super) fn read(spoken: &str) -> Option<Verdict> {
    let mut all = Said::default();
    for sentence in clauses(spoken) {
        let said = sentence_says(sentence);
        all.pass |= said.pass;
        all.fail |= said.fail;
        all.maybe_pass |= said.maybe_pass;
        all.maybe_fail |= said.maybe_fail;
    }
    match (all.pass, all.fail) {
        (false, false) => None,
        (true, false) if !all.maybe_fail => Some(Verdict::Pass),
        (false, true) if !all.maybe_pass => Some(Verdict::Fail),
        _ => Some(Verdict::unknown("the sentences say pass and fail")),
    }
}

/// Whether the text after a pass goes back on it.
pub(super) fn takes_back(text: &str) -> bool {
    clauses(text).any(|sentence| {
        let denies = || words::words(sentence).skip(1).any(words::negates);
        words::words(sentence).take(3).any(words::retracts)
            && (names_fail(sentence) || denies() || matches!(read(sentence), Some(Verdict::Fail)))
    })
}

/// Whether a word for failing stands alone as a sentence, in capitals, or right after the run that it is about; quotations do
/// not count.
pub(super) fn names_fail(text: &str) -> bool {
    clauses(text).any(|sentence| {
        let unquoted = without_quotes(sentence);
        let said: Vec<&str> = words::words(&unquoted).collect();
        let is_fail = |word: &str| verdict_word(word) == Some(Word::Fail);
        let alone = matches!(said.as_slice(), [only] if is_fail(only));
        let loud = said.iter().any(|word| is_fail(word) && is_loud(word));
        let of_the_run =
            said.windows(2).any(|pair| matches!(pair, [who, what] if is_about_the_run(who) && is_fail(what)));
        alone || loud || of_the_run
    })
}

/// The sentences of a text. A full stop inside a word, as in `0.9`, ends none.
pub(super) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let is_end = |(at, character): (usize, char)| match character {
                '\n' | '!' | '?' | ';' | '。' => Some(at + character.len_utf8()),
                '.' if rest
                    .get(at + 1..)
                    .is_none_or(|after| after.is_empty() || after.starts_with(char::is_whitespace)) =>
                {
                    Some(at + 1)
                }
                _ => None,
            };
            let end = rest.char_indices().find_map(is_end).unwrap_or(rest.len());
            let (sentence, after) = rest.split_at(end);
            rest = after;
            if !sentence.trim().is_empty() {
                return Some(sentence);
            }
        }
    })
}

fn sentence_says(sentence: &str) -> Said {
    let unquoted = without_quotes(sentence);
    let said: Vec<&str> = words::words(&unquoted).collect();
    let mut found = Said::default();
    if let Some(word) = concluding_word(&unquoted) {
        return match word {
            Word::Fail => Said { fail: true, ..found },
            Word::Pass => Said { pass: true, ..found },
            Word::Neither => found,
        };
    }
    let is_question = sentence.trim_end().ends_with('?');
    let is_hedged = is_question || said.iter().any(|word| words::hedges(word));
    let is_hypothetical = is_question || said.iter().any(|word| words::supposes(word));
    for (index, word) in said.iter().enumerate() {
        let before = said.get(index.saturating_sub(REACH)..index).unwrap_or_default();
        let negated = before.iter().any(|word| words::negates(word));
        let is_last = index + 1 == said.len();
        match verdict_word(word) {
            Some(Word::Pass) if is_hypothetical => {}
            // "I cannot give this a pass" is a verdict; "not enough to give a pass" and "must not answer PASS" are not.
            Some(Word::Pass) if negated && (!is_hedged || is_loud(word)) => {
                found.fail |= !said.iter().any(|word| matches!(*word, "must" | "without" | "enough"));
            }
            Some(Word::Pass) if is_hedged || negated => {}
            Some(Word::Pass) if names_it(before) && is_last => found.pass = true,
            Some(Word::Pass) => found.maybe_pass = true,
            Some(Word::Fail) if is_hypothetical || negated => found.maybe_fail = true,
            Some(Word::Fail) if is_loud(word) || before.iter().any(|word| is_about_the_run(word)) => found.fail = true,
            Some(Word::Fail) if is_last && matches!(before, [.., "a" | "an"]) => found.fail = true,
            Some(Word::Fail) => found.maybe_fail = true,
            _ => {}
        }
    }
    found
}

/// In capitals, as verdicts are asked for.
fn is_loud(word: &str) -> bool {
    word.len() > 3 && word.chars().all(char::is_uppercase)
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
    let leading: Vec<String> = words::words(before).map(str::to_lowercase).collect();
    let said = |wanted: &[&str]| {
        leading.iter().any(|word| wanted.contains(&word.trim_end_matches("'s").trim_end_matches("’s")))
    };
    let reported = said(&["printed", "wrote", "said", "of", "output", "tool", "agent", "answer"]);
    let announced = said(&["so", "verdict", "therefore", "hence"]);
    match word {
        Word::Pass => (announced && !reported).then_some(word),
        _ => (!reported || announced).then_some(word),
    }
}

fn is_about_the_run(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "agent" | "run" | "task" | "attempt" | "it" | "this" | "assistant" | "trajectory" | "overall"
    )
}

/// Whether a word for passing is given as the verdict: "this is a pass", "this run is a clear pass".
fn names_it(before: &[&str]) -> bool {
    let is_verb = |word: &str| matches!(word.to_lowercase().as_str(), "is" | "was" | "as");
    match before {
        [.., verb, "a" | "an"] | [.., verb, "a", "clear" | "full" | "complete"] => is_verb(verb),
        _ => false,
    }
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

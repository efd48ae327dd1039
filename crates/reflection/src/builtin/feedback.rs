//! The reviewer's words.
//!
//! They are handed on as they stand. Whether a sentence states a rule or complains about the run cannot be told from its words
//! with any certainty ("Invoices are numbered INV-…"), and a rule under the name of a mistake teaches its opposite.

use super::{errors, reading, words};

/// The most characters of feedback that are read, and that one sentence of it may have.
const READ_LIMIT: usize = 2_000;
const SENTENCE_LIMIT: usize = 300;

/// What a reviewer wrote.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feedback {
    /// All of it, on one line.
    pub(super) whole: String,
    /// Its sentences, without those that only judge ("Wrong."). Empty when the feedback says nothing in particular.
    pub(super) sentences: Vec<String>,
}

impl Feedback {
    pub(super) fn read(text: &str) -> Self {
        let whole = words::fold(text, READ_LIMIT);
        if is_vague(&whole) {
            return Self { whole, sentences: Vec::new() };
        }
        if errors::is_exception(&whole) {
            let error = errors::error_in(text).unwrap_or_else(|| whole.clone());
            let quoted = words::code(&error, SENTENCE_LIMIT);
            return Self { whole, sentences: vec![format!("The reported error is {quoted}.")] };
        }
        let start: String = text.chars().take(READ_LIMIT).collect();
        let parts = reading::sentences(&start).map(|part| part.trim_start_matches(['-', '*', '•', ' ']));
        let sentences = parts.map(|part| words::sentence(part, SENTENCE_LIMIT)).filter(|sentence| !is_vague(sentence));
        Self { whole, sentences: sentences.collect() }
    }

    /// Whether it says something in particular.
    pub(super) fn is_telling(&self) -> bool {
        !self.sentences.is_empty()
    }
}

/// Words that judge without saying what they judge.
const VAGUE: &str = "a all and answer answers antwort at bad but completely correct das did didn't die doesn't \
    done down er expected fail failed failure falsch false fine for good great gut i incorrect is isn't ist it job \
    just korrekt leider lgtm looks me nein nice nicht no nope not of ok okay output perfect please pretty quite \
    really response result richtig right run so sorry still super task thank thanks that the this thumbs totally up \
    very war was wasn't well work worked wrong yes you";

fn is_vague(text: &str) -> bool {
    let small = reading::lower(text);
    let said = small.split(reading::is_between).filter(|word| !word.is_empty());
    said.take(12).all(|word| reading::lists(VAGUE, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_words_say_nothing() {
        for text in ["Wrong", "The answer was incorrect.", "no", "👎", "  ", "It didn't work!", "Good job, thanks"] {
            let feedback = Feedback::read(text);
            assert!(!feedback.is_telling(), "{text}");
        }
    }

    #[test]
    fn sentences_that_say_something_stay_in_their_order() {
        let feedback = Feedback::read("Wrong. booked 10:00 UTC instead of Berlin time. Always convert first");
        assert_eq!(feedback.sentences, ["Booked 10:00 UTC instead of Berlin time.", "Always convert first."]);
    }

    #[test]
    fn an_exception_as_feedback_is_quoted() {
        let feedback = Feedback::read("KeyError: 'total'");
        assert_eq!(feedback.sentences, ["The reported error is `KeyError: 'total'`."]);
    }
}

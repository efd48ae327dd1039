//! The reviewer's words, sorted into what was wrong and what to do.

use super::{errors, reading, words};

/// The most characters of feedback that are read, and that one sentence of it may have.
const READ_LIMIT: usize = 2_000;
const SENTENCE_LIMIT: usize = 300;

/// What a reviewer wrote.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feedback {
    /// All of it, on one line.
    pub(super) whole: String,
    /// Sentences that say what happened. Empty when the feedback says nothing in particular.
    pub(super) remarks: Vec<String>,
    /// Sentences that say what to do.
    pub(super) instructions: Vec<String>,
}

impl Feedback {
    pub(super) fn read(text: &str) -> Self {
        let whole = words::fold(text, READ_LIMIT);
        let mut feedback = Self { whole, ..Self::default() };
        if is_vague(&feedback.whole) {
            return feedback;
        }
        if errors::is_exception(&feedback.whole) {
            let error = errors::error_in(text).unwrap_or_else(|| feedback.whole.clone());
            let quoted = words::code(&error, SENTENCE_LIMIT);
            feedback.remarks.push(format!("The reported error is {quoted}."));
            return feedback;
        }
        let start: String = text.chars().take(READ_LIMIT).collect();
        for part in reading::sentences(&start) {
            let sentence = words::sentence(part.trim_start_matches(['-', '*', '•', ' ']), SENTENCE_LIMIT);
            if is_instruction(&sentence) {
                feedback.instructions.push(sentence);
            } else if !is_vague(&sentence) {
                feedback.remarks.push(sentence);
            }
        }
        feedback
    }

    /// Whether it says something in particular.
    pub(super) fn is_telling(&self) -> bool {
        !self.remarks.is_empty() || !self.instructions.is_empty()
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

/// Verbs that open a piece of advice.
const ADVICE: &str = "add always apply ask avoid bitte call check compare confirm convert do don't ensure filter \
    first immer include instead keep look make never nie please prefer read remember retry round set sort test try \
    use validate verify wait write";

/// After one of these the first word was a noun: "Check failed", "Use of the wrong table".
const NOUN_SIGNS: &str = "are did does failed had has is missed missing of was were";

/// Words that make a sentence advice wherever they stand.
const DUTIES: &str = "expected muss must müssen needs ought required shall should soll sollte supposed";

fn is_instruction(sentence: &str) -> bool {
    let small = reading::lower(sentence);
    let said: Vec<&str> = small.split(reading::is_between).filter(|word| !word.is_empty()).collect();
    let opens_with_advice = match said.as_slice() {
        ["next", "time", ..] => true,
        [first, second, ..] => reading::lists(ADVICE, first) && !reading::lists(NOUN_SIGNS, second),
        [first] => reading::lists(ADVICE, first),
        [] => false,
    };
    opens_with_advice || said.iter().any(|word| reading::lists(DUTIES, word))
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
    fn remarks_and_instructions_are_told_apart() {
        let feedback = Feedback::read("Wrong. booked 10:00 UTC instead of Berlin time. Always convert first");
        assert_eq!(feedback.remarks, ["Booked 10:00 UTC instead of Berlin time."]);
        assert_eq!(feedback.instructions, ["Always convert first."]);
        for text in ["Should have used the refund API", "Use the refund API", "Expected 391, got 408"] {
            assert_eq!(Feedback::read(text).remarks.len(), 0, "{text}");
        }
        for text in ["Check failed", "Use of the wrong table", "Missed the WHERE clause", "Answer was in miles"] {
            assert_eq!(Feedback::read(text).instructions.len(), 0, "{text}");
        }
    }

    #[test]
    fn an_exception_as_feedback_is_quoted() {
        let feedback = Feedback::read("KeyError: 'total'");
        assert_eq!(feedback.remarks, ["The reported error is `KeyError: 'total'`."]);
    }
}

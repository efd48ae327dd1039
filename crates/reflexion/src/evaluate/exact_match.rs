//! Answers that have to be the same as a known one.

use async_trait::async_trait;

use super::clip::clipped;
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// The most characters of an answer that are repeated in feedback.
const SHOWN: usize = 200;

/// One or several answers that are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldAnswers(Vec<String>);

impl From<&str> for GoldAnswers {
    fn from(answer: &str) -> Self {
        Self(vec![answer.to_owned()])
    }
}

impl From<String> for GoldAnswers {
    fn from(answer: String) -> Self {
        Self(vec![answer])
    }
}

impl<T: Into<String>> From<Vec<T>> for GoldAnswers {
    fn from(answers: Vec<T>) -> Self {
        Self(answers.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for GoldAnswers {
    fn from(answers: [T; N]) -> Self {
        Self(answers.into_iter().map(Into::into).collect())
    }
}

/// Passes an answer that is one of the expected ones, after [`normalized`]. It is how the paper judges questions.
///
/// The feedback says that the answer is wrong and not what is right: a run that is told would only repeat it. Expecting nothing at
/// all is [`Verdict::Unknown`](crate::Verdict::Unknown).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::exact_match};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = exact_match(["New York City", "NYC"]);
/// assert!(evaluator.evaluate(&finished("the N.Y.C.!")).await?.passed());
/// assert!(!evaluator.evaluate(&finished("It is NYC")).await?.passed());
/// # Ok(()) }
/// ```
pub fn exact_match(expected: impl Into<GoldAnswers>) -> ExactMatch {
    ExactMatch { expected: expected.into().0 }
}

/// What [`exact_match()`] makes.
#[derive(Debug, Clone)]
pub struct ExactMatch {
    expected: Vec<String>,
}

#[async_trait]
impl Evaluator for ExactMatch {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        if self.expected.is_empty() {
            return Ok(Evaluation::unknown("there is no expected answer to compare with"));
        }
        let answer = comparable(finished.answer());
        if self.expected.iter().any(|expected| comparable(expected) == answer) {
            return Ok(Evaluation::pass().scored(1.0));
        }
        let shown = clipped(finished.answer().trim(), SHOWN);
        let feedback = if shown.is_empty() {
            "there is no answer".to_owned()
        } else {
            format!("the answer `{shown}` is not the expected one")
        };
        Ok(Evaluation::fail(feedback).scored(0.0))
    }
}

/// The normalised text; where nothing is left of it, as of `A` or `?`, the text itself in lower case, so that an empty answer does
/// not equal those.
fn comparable(text: &str) -> String {
    let normalized = normalized(text);
    if normalized.is_empty() { text.trim().to_lowercase() } else { normalized }
}

/// A text as the paper compares it (HotPotQA's own script): in lower case, without ASCII punctuation, without the words `a`, `an`
/// and `the`, with single blanks.
pub fn normalized(text: &str) -> String {
    let lower = text.to_lowercase();
    let letters: String = lower.chars().filter(|character| !character.is_ascii_punctuation()).collect();
    let mut kept = String::with_capacity(letters.len());
    // Articles are whole words: a word ends at anything that is neither letter nor digit, such as a dash that is not ASCII.
    for word in letters.split_inclusive(|character: char| !character.is_alphanumeric()) {
        let bare = word.trim_end_matches(|character: char| !character.is_alphanumeric());
        match bare {
            "a" | "an" | "the" => {
                kept.push(' ');
                kept.push_str(word.get(bare.len()..).unwrap_or_default());
            }
            _ => kept.push_str(word),
        }
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Verdict, evaluate::testing::finished};

    async fn judged(expected: impl Into<GoldAnswers>, answer: &str) -> Evaluation {
        exact_match(expected).evaluate(&finished(answer)).await.unwrap()
    }

    #[test]
    fn texts_are_normalised_as_the_paper_does() {
        let cases = [
            ("The Cat", "cat"),
            ("a an the", ""),
            ("Theatre, an anthem: a-ha", "theatre anthem aha"),
            ("U.S.A.", "usa"),
            ("  much \t blank\n", "much blank"),
            ("Beyoncé – the Queen", "beyoncé – queen"),
            ("a–b", "–b"),
            ("“quoted”", "“quoted”"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(normalized(text), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn any_of_the_expected_answers_will_do() {
        assert!(judged(["Paris", "City of Light"], "the city of light!").await.passed());
        assert!(judged(String::from("Paris"), "PARIS").await.passed());
        let evaluation = judged("Paris", "It is Paris.").await;
        assert_eq!((evaluation.verdict, evaluation.score), (Verdict::Fail, Some(0.0)));
    }

    #[tokio::test]
    async fn feedback_does_not_give_the_answer_away() {
        let evaluation = judged("Paris", "London").await;
        assert!(evaluation.feedback.contains("London") && !evaluation.feedback.contains("Paris"));
        assert_eq!(judged("Paris", " ").await.feedback, "there is no answer");
    }

    #[tokio::test]
    async fn an_empty_answer_is_not_an_article() {
        assert!(!judged("A", "").await.passed());
        assert!(!judged("A", "the").await.passed());
        assert!(judged("A", "a").await.passed());
        assert!(judged("", "").await.passed());
    }

    #[tokio::test]
    async fn expecting_nothing_is_unknown() {
        assert!(matches!(judged(Vec::<String>::new(), "x").await.verdict, Verdict::Unknown(_)));
    }

    proptest! {
        #[test]
        fn normalising_ends_clean_and_ignores_case_blanks_and_punctuation(text in "\\PC{0,60}") {
            let once = normalized(&text);
            prop_assert!(!once.contains("  ") && once.trim() == once);
            prop_assert!(!once.chars().any(|character| character.is_ascii_punctuation()));
            prop_assert!(!once.split(' ').any(|word| matches!(word, "a" | "an" | "the")));
            prop_assert_eq!(normalized(&format!(" {text}.!")), once);
        }

        #[test]
        fn an_answer_always_equals_itself(text in "\\PC{0,60}") {
            prop_assert_eq!(comparable(&text), comparable(&format!("{text} ")));
        }
    }
}

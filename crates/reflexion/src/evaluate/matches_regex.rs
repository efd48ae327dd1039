//! Answers that have to match a pattern.

use async_trait::async_trait;
use regex::Regex;

use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// Passes an answer in which the pattern is found. The error says what is wrong with the pattern. Matching takes time linear in the answer,
/// whatever the pattern.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::matches_regex};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = matches_regex(r"(?i)invoice [A-Z]-\d+")?;
/// assert!(evaluator.evaluate(&finished("Sent as Invoice A-17.")).await?.passed());
/// assert!(matches_regex("(").is_err());
/// # Ok(()) }
/// ```
pub fn matches_regex(pattern: &str) -> Result<MatchesRegex, regex::Error> {
    Ok(MatchesRegex { pattern: pattern.to_owned(), regex: Regex::new(pattern)?, wanted: Wanted::Found })
}

/// Passes an answer that matches the pattern from its first character to its last, blanks around it aside.
pub fn matches_regex_whole(pattern: &str) -> Result<MatchesRegex, regex::Error> {
    // By itself first: `a)|(b` is not made right by what is put around it. The line break ends a comment of a verbose pattern.
    Regex::new(pattern)?;
    let whole = Regex::new(&format!(r"\A(?:{pattern})\z"));
    let regex = whole.or_else(|_| Regex::new(&format!("\\A(?:{pattern}\n)\\z")))?;
    Ok(MatchesRegex { pattern: pattern.to_owned(), regex, wanted: Wanted::Whole })
}

/// Passes an answer in which the pattern is not found.
pub fn lacks_regex(pattern: &str) -> Result<MatchesRegex, regex::Error> {
    Ok(MatchesRegex { wanted: Wanted::Absent, ..matches_regex(pattern)? })
}

/// What [`matches_regex()`] and its kin make.
#[derive(Debug, Clone)]
pub struct MatchesRegex {
    pattern: String,
    regex: Regex,
    wanted: Wanted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Found,
    Whole,
    Absent,
}

#[async_trait]
impl Evaluator for MatchesRegex {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let answer = finished.answer();
        let pattern = &self.pattern;
        let (holds, feedback) = match self.wanted {
            Wanted::Found => (self.regex.is_match(answer), format!("the answer does not match `{pattern}`")),
            Wanted::Whole => {
                (self.regex.is_match(answer.trim()), format!("the answer as a whole does not match `{pattern}`"))
            }
            Wanted::Absent => (!self.regex.is_match(answer), format!("the answer must not match `{pattern}`")),
        };
        Ok(if holds { Evaluation::pass().scored(1.0) } else { Evaluation::fail(feedback).scored(0.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::testing::finished;

    async fn passes(evaluator: &MatchesRegex, answer: &str) -> bool {
        evaluator.evaluate(&finished(answer)).await.unwrap().passed()
    }

    #[tokio::test]
    async fn found_whole_and_absent_are_three_things() {
        let found = matches_regex(r"\d+").unwrap();
        let whole = matches_regex_whole(r"\d|\d\d").unwrap();
        let absent = lacks_regex(r"\d+").unwrap();
        assert_eq!((passes(&found, "no 42").await, passes(&whole, "no 42").await), (true, false));
        assert_eq!((passes(&absent, "no 42").await, passes(&absent, "none").await), (false, true));
        assert!(passes(&whole, " 42\n").await, "all alternatives are tried over the whole");
        assert!(!passes(&whole, "4\n2").await);
    }

    #[tokio::test]
    async fn what_is_put_around_a_pattern_does_not_change_it() {
        assert!(matches_regex_whole("a)|(b").is_err());
        let verbose = matches_regex_whole("(?x) \\d+ # digits").unwrap();
        assert!(passes(&verbose, "42").await && !passes(&verbose, "a 42").await);
    }

    #[tokio::test]
    async fn feedback_names_the_pattern() {
        let evaluation = matches_regex("x+").unwrap().evaluate(&finished("y")).await.unwrap();
        assert_eq!((evaluation.feedback.as_str(), evaluation.score), ("the answer does not match `x+`", Some(0.0)));
    }
}

//! Answers that have to have some words, and must not have others.

use async_trait::async_trait;
use regex::Regex;

use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// Whether upper and lower case are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// They are the same.
    #[default]
    Ignored,
    /// They differ.
    Exact,
}

/// Where a keyword may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Occurrence {
    /// As a word of its own: no letter, digit or `_` goes on where the keyword ends in one. For scripts without blanks between
    /// words take [`Occurrence::Anywhere`].
    #[default]
    WholeWord,
    /// Inside other words too.
    Anywhere,
}

/// Passes an answer that has this text in it, anywhere, in this very case.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// # use reflexion::{Evaluator, evaluate::contains};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// assert!(contains("fn main").evaluate(&finished("pub async fn main() {}")).await?.passed());
/// # Ok(()) }
/// ```
pub fn contains(text: impl Into<String>) -> Keywords {
    Keywords::all([text.into()]).case(Case::Exact).occurrence(Occurrence::Anywhere)
}

/// Passes an answer by the keywords in it: all of some, any of others, none of a third kind. Every kind that is given has to hold.
///
/// Case is ignored and keywords are whole words unless set otherwise. The score is the share of demands that are met, where "any
/// of these" is one demand. The feedback names what is missing and what should not be there, so the next trial is told; where it must not be, take
/// [`exact_match`](super::exact_match()). Blank keywords count for nothing, and without any other the verdict is unknown.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::Keywords};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = Keywords::all(["recursion", "base case"]).or_any(["stack", "heap"]).but_none(["magic"]);
/// assert!(evaluator.evaluate(&finished("Recursion needs a base case, or the stack overflows.")).await?.passed());
/// let failed = evaluator.evaluate(&finished("Recursion is magic on the stack.")).await?;
/// assert_eq!(failed.feedback, "missing: `base case`; must not be there: `magic`");
/// assert_eq!(failed.score, Some(0.5));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Keywords {
    all: Vec<String>,
    any: Vec<String>,
    none: Vec<String>,
    case: Case,
    occurrence: Occurrence,
}

impl Keywords {
    /// Demands each of these.
    pub fn all(keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { all: given(keywords), ..Self::default() }
    }

    /// Demands one of these.
    pub fn any(keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { any: given(keywords), ..Self::default() }
    }

    /// Forbids each of these.
    pub fn none(keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { none: given(keywords), ..Self::default() }
    }

    /// Demands one of these too.
    #[must_use]
    pub fn or_any(self, keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { any: given(keywords), ..self }
    }

    /// Forbids each of these too.
    #[must_use]
    pub fn but_none(self, keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { none: given(keywords), ..self }
    }

    /// Whether case is told apart.
    #[must_use]
    pub fn case(self, case: Case) -> Self {
        Self { case, ..self }
    }

    /// Where a keyword may stand.
    #[must_use]
    pub fn occurrence(self, occurrence: Occurrence) -> Self {
        Self { occurrence, ..self }
    }

    fn is_in(&self, keyword: &str, text: &str) -> bool {
        let case = if self.case == Case::Ignored { "(?i)" } else { "" };
        // An end that is no letter needs no boundary.
        let is_bounded = |end: Option<char>| {
            self.occurrence == Occurrence::WholeWord && end.is_some_and(|end| end.is_alphanumeric() || end == '_')
        };
        let start = if is_bounded(keyword.chars().next()) { r"\b{start-half}" } else { "" };
        let end = if is_bounded(keyword.chars().next_back()) { r"\b{end-half}" } else { "" };
        let pattern = format!("{case}{start}{}{end}", regex::escape(keyword));
        Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(text))
    }
}

#[async_trait]
impl Evaluator for Keywords {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let demands = self.all.len() + usize::from(!self.any.is_empty()) + self.none.len();
        if demands == 0 {
            return Ok(Evaluation::unknown("there are no keywords to look for"));
        }
        let text = finished.answer();
        let missing: Vec<&String> = self.all.iter().filter(|keyword| !self.is_in(keyword, text)).collect();
        let forbidden: Vec<&String> = self.none.iter().filter(|keyword| self.is_in(keyword, text)).collect();
        let has_none = !self.any.is_empty() && !self.any.iter().any(|keyword| self.is_in(keyword, text));
        let mut said = Vec::new();
        if !missing.is_empty() {
            said.push(format!("missing: {}", quoted(missing.iter().copied())));
        }
        if has_none {
            said.push(format!("none of these is there: {}", quoted(&self.any)));
        }
        if !forbidden.is_empty() {
            said.push(format!("must not be there: {}", quoted(forbidden.iter().copied())));
        }
        let unmet = missing.len() + forbidden.len() + usize::from(has_none);
        let evaluation = if unmet == 0 { Evaluation::pass() } else { Evaluation::fail(said.join("; ")) };
        Ok(evaluation.scored(super::share(demands - unmet, demands)))
    }
}

fn given(keywords: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    keywords.into_iter().map(Into::into).filter(|keyword: &String| !keyword.trim().is_empty()).collect()
}

fn quoted<'a>(keywords: impl IntoIterator<Item = &'a String>) -> String {
    keywords.into_iter().map(|keyword| format!("`{keyword}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Verdict, evaluate::testing::finished};

    async fn passes(keywords: &Keywords, answer: &str) -> bool {
        keywords.evaluate(&finished(answer)).await.unwrap().passed()
    }

    #[tokio::test]
    async fn a_keyword_is_a_word_of_its_own() {
        let cat = Keywords::all(["cat"]);
        for (answer, found) in
            [("Cat!", true), ("concatenate", false), ("a cat_", false), ("category cat", true), ("cats", false)]
        {
            assert_eq!(passes(&cat, answer).await, found, "{answer}");
        }
        let cpp = Keywords::all(["C++"]);
        assert!(passes(&cpp, "use c++11").await, "an end that is no letter needs no boundary");
        assert!(!passes(&cpp, "vc++").await);
        assert!(passes(&cat.clone().occurrence(Occurrence::Anywhere), "concatenate").await);
        assert!(!passes(&cat.case(Case::Exact), "Cat").await);
        assert!(passes(&Keywords::all(["ΣΊΣΥΦΟΣ"]), "σίσυφοσ σίσυφος").await, "case of any script");
    }

    #[tokio::test]
    async fn each_kind_of_demand_has_to_hold() {
        let any = Keywords::any(["one", "two"]);
        assert!(passes(&any, "two").await);
        let failed = any.evaluate(&finished("three")).await.unwrap();
        assert_eq!((failed.feedback.as_str(), failed.score), ("none of these is there: `one`, `two`", Some(0.0)));
        let none = Keywords::none(["todo"]);
        assert!(passes(&none, "done").await);
        assert!(!passes(&none, "TODO: all").await);
    }

    #[tokio::test]
    async fn no_keywords_at_all_is_unknown() {
        for keywords in [Keywords::default(), Keywords::none(["", "  "]), contains("")] {
            assert!(matches!(keywords.evaluate(&finished("x")).await.unwrap().verdict, Verdict::Unknown(_)));
        }
    }

    proptest! {
        #[test]
        fn what_contains_finds_is_what_is_there(answer in "[ab ü]{0,12}", text in "[abü]{1,3}") {
            let found = contains(text.clone()).is_in(&text, &answer);
            prop_assert_eq!(found, answer.contains(&text));
            let as_word = Keywords::all([text.clone()]).is_in(&text, &answer);
            prop_assert_eq!(as_word, answer.split(' ').any(|word| word == text));
        }
    }
}

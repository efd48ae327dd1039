//! Whoever says whether an attempt passed.

use async_trait::async_trait;
use reflect_llm::Usage;
use reflection::Verdict;
use serde::{Deserialize, Serialize};

use crate::{BoxError, FinishedAttempt};

/// What an evaluator says about an attempt.
///
/// ```
/// use reflexion::{Evaluation, Verdict};
///
/// let evaluation = Evaluation::fail("two of three tests pass").scored(2.0 / 3.0);
/// assert_eq!(evaluation.verdict, Verdict::Fail);
/// assert!(evaluation.score.is_some_and(|score| score > 0.6));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Pass, fail or unknown.
    pub verdict: Verdict,
    /// How good it was, in [0, 1], where the evaluator gives a score. Runs that end without a pass answer with the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What was wrong, or what was good, for the reflector and for people; empty when there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub feedback: String,
    /// What evaluating cost.
    #[serde(default)]
    pub usage: Usage,
}

impl Evaluation {
    /// It passed.
    pub fn pass() -> Self {
        Self { verdict: Verdict::Pass, score: None, feedback: String::new(), usage: Usage::default() }
    }

    /// It failed, and why.
    pub fn fail(feedback: impl Into<String>) -> Self {
        Self { verdict: Verdict::Fail, feedback: feedback.into(), ..Self::pass() }
    }

    /// Unknown, and why.
    pub fn unknown(why: impl Into<String>) -> Self {
        let why = why.into();
        Self { verdict: Verdict::Unknown(why.clone()), feedback: why, ..Self::pass() }
    }

    /// The same with a score; what is no number or lies outside [0, 1] is brought there.
    #[must_use]
    pub fn scored(self, score: f64) -> Self {
        let score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
        Self { score: Some(score), ..self }
    }

    /// The same with other words.
    #[must_use]
    pub fn saying(self, feedback: impl Into<String>) -> Self {
        Self { feedback: feedback.into(), ..self }
    }

    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }
}

/// Says whether an attempt passed. A closure that needs to wait for nothing is one as it is, whether it can fail or not; [`evaluator_fn`]
/// makes one of an asynchronous closure. Dropping the future cancels the evaluation.
///
/// ```
/// use reflexion::{BoxError, Evaluation, Evaluator, FinishedAttempt};
///
/// fn takes(_: impl Evaluator) {}
/// takes(|finished: &FinishedAttempt| {
///     if finished.answer().contains("42") { Evaluation::pass().scored(1.0) } else { Evaluation::fail("the answer is missing 42") }
/// });
/// takes(|finished: &FinishedAttempt| -> Result<Evaluation, BoxError> {
///     let number: u32 = finished.answer().parse()?;
///     Ok(if number == 42 { Evaluation::pass() } else { Evaluation::fail("it is another number") })
/// });
/// ```
#[async_trait]
pub trait Evaluator: Send + Sync {
    /// Judges one attempt. An error says that judging failed, which is no verdict.
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError>;
}

/// What a closure may answer: an evaluation, or an error instead of one.
pub trait IntoEvaluation {
    /// The evaluation, or why there is none.
    fn into_evaluation(self) -> Result<Evaluation, BoxError>;
}

impl IntoEvaluation for Evaluation {
    fn into_evaluation(self) -> Result<Evaluation, BoxError> {
        Ok(self)
    }
}

impl<E: Into<BoxError>> IntoEvaluation for Result<Evaluation, E> {
    fn into_evaluation(self) -> Result<Evaluation, BoxError> {
        self.map_err(Into::into)
    }
}

#[async_trait]
impl<F, R> Evaluator for F
where
    F: Fn(&FinishedAttempt) -> R + Send + Sync,
    R: IntoEvaluation,
{
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        self(finished).into_evaluation()
    }
}

/// Makes an evaluator of an asynchronous closure that may fail.
///
/// ```
/// use reflexion::{Evaluation, Evaluator, FinishedAttempt, evaluator_fn};
///
/// fn takes(_: impl Evaluator) {}
/// takes(evaluator_fn(|finished: FinishedAttempt| async move { Ok(Evaluation::fail(finished.attempt.answer)) }));
/// ```
pub fn evaluator_fn<F, Fut>(evaluate: F) -> impl Evaluator
where
    F: Fn(FinishedAttempt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Evaluation, BoxError>> + Send,
{
    FnEvaluator(evaluate)
}

struct FnEvaluator<F>(F);

#[async_trait]
impl<F, Fut> Evaluator for FnEvaluator<F>
where
    F: Fn(FinishedAttempt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Evaluation, BoxError>> + Send,
{
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        (self.0)(finished.clone()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::testing::finished;

    #[tokio::test]
    async fn a_closure_may_fail() {
        let judge = |finished: &FinishedAttempt| -> Result<Evaluation, std::num::ParseIntError> {
            finished.answer().parse::<u32>().map(|_| Evaluation::pass())
        };
        assert!(judge.evaluate(&finished("42")).await.unwrap().passed());
        assert_eq!(judge.evaluate(&finished("x")).await.unwrap_err().to_string(), "invalid digit found in string");
    }

    #[test]
    fn a_score_is_brought_into_its_range() {
        for (given, kept) in [(0.4, 0.4), (-1.0, 0.0), (7.0, 1.0), (f64::NAN, 0.0), (f64::INFINITY, 1.0)] {
            assert_eq!(Evaluation::pass().scored(given).score, Some(kept));
        }
    }
}

//! Evaluators with a name, so that feedback says who gave it.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_llm::Usage;
use reflection::Verdict;

use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// An evaluator and what it is called. It is an evaluator too.
#[derive(Clone)]
pub struct Named {
    pub(super) name: String,
    pub(super) evaluator: Arc<dyn Evaluator>,
}

/// Gives an evaluator its name.
///
/// ```
/// use reflexion::{Evaluation, FinishedAttempt, evaluate::{all, contains, named}};
///
/// let short = |finished: &FinishedAttempt| match finished.answer().len() {
///     0..200 => Evaluation::pass(),
///     length => Evaluation::fail(format!("{length} bytes are too many")),
/// };
/// let evaluator = all([named("length", short), named("polite", contains("please"))]);
/// ```
pub fn named(name: impl Into<String>, evaluator: impl Evaluator + 'static) -> Named {
    Named::shared(name, Arc::new(evaluator))
}

impl Named {
    /// The same for an evaluator that is used elsewhere too.
    pub fn shared(name: impl Into<String>, evaluator: Arc<dyn Evaluator>) -> Self {
        Self { name: name.into(), evaluator }
    }
}

#[async_trait]
impl Evaluator for Named {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        self.evaluator.evaluate(finished).await
    }
}

/// What one evaluator of several said.
pub(super) struct Said {
    pub(super) name: String,
    pub(super) result: Result<Evaluation, BoxError>,
}

impl Said {
    pub(super) async fn by(named: &Named, finished: &FinishedAttempt) -> Self {
        Self { name: named.name.clone(), result: named.evaluator.evaluate(finished).await }
    }
}

/// A verdict over several evaluations: their feedback, each under its name, and what they cost together.
pub(super) fn merged(verdict: Verdict, said: &[Said]) -> Evaluation {
    let lines: Vec<String> = said.iter().filter_map(line).collect();
    let usage = evaluations(said).map(|evaluation| evaluation.usage).fold(Usage::default(), Usage::plus);
    Evaluation { verdict, score: None, feedback: lines.join("\n"), usage }
}

/// `name (fail): words`; nothing for who passed without a word.
fn line(said: &Said) -> Option<String> {
    let name = &said.name;
    let evaluation = match &said.result {
        Ok(evaluation) => evaluation,
        Err(error) => return Some(format!("{name} (error): {error}")),
    };
    let words = evaluation.feedback.trim();
    let verdict = evaluation.verdict.as_str();
    match (evaluation.passed(), words.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("{name} ({verdict})")),
        (_, false) => Some(format!("{name} ({verdict}): {words}")),
    }
}

/// The same again, or the first error among them.
pub(super) fn without_errors(said: Vec<Said>) -> Result<Vec<Said>, BoxError> {
    let evaluated = said.into_iter().map(|Said { name, result }| match result {
        Ok(evaluation) => Ok(Said { name, result: Ok(evaluation) }),
        Err(source) => Err(EvaluatorFailed { name, source }.into()),
    });
    evaluated.collect()
}

/// What was said, without the errors.
pub(super) fn evaluations(said: &[Said]) -> impl Iterator<Item = &Evaluation> + Clone {
    said.iter().filter_map(|said| said.result.as_ref().ok())
}

/// Which evaluator of several could not judge, and why.
#[derive(Debug, thiserror::Error)]
#[error("evaluator `{name}` failed")]
pub struct EvaluatorFailed {
    /// Its name.
    pub name: String,
    /// Why.
    pub source: BoxError,
}

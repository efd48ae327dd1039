//! All of several evaluators, and any of them.

use async_trait::async_trait;

use super::{
    conjunction, disjunction,
    named::{Named, Said, evaluations, merged, without_errors},
};
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt, evaluate::join::join_limited};

/// Passes what every evaluator passes: a fail of one is a fail, else an unknown of one is unknown. All are asked, at once, so that the
/// feedback is complete; [`cheap_first`](super::cheap_first()) asks one after the other. The score is the lowest of those given.
/// An error of one is the error of all.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::{all, contains, matches_regex, named}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = all([named("sum", contains("42")), named("unit", matches_regex("(EUR|€)$")?)]);
/// let evaluation = evaluator.evaluate(&finished("42 dollars")).await?;
/// assert_eq!(evaluation.feedback, "unit (fail): the answer does not match `(EUR|€)$`");
/// # Ok(()) }
/// ```
pub fn all(evaluators: impl IntoIterator<Item = Named>) -> All {
    All(evaluators.into_iter().collect())
}

/// Passes what one evaluator passes: all have to fail for a fail, else it is unknown. All are asked, at once. The score is the highest
/// of those given. An error of one hides no pass of another; without a pass it is the error of all.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// # use reflexion::{Evaluator, evaluate::{any, exact_match, matches_regex_whole, named}};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = any([named("known", exact_match("forty-two")), named("digits", matches_regex_whole(r"\d+")?)]);
/// assert!(evaluator.evaluate(&finished("42")).await?.passed());
/// # Ok(()) }
/// ```
pub fn any(evaluators: impl IntoIterator<Item = Named>) -> Any {
    Any(evaluators.into_iter().collect())
}

/// What [`all()`] makes.
#[derive(Clone)]
pub struct All(Vec<Named>);

/// What [`any()`] makes.
#[derive(Clone)]
pub struct Any(Vec<Named>);

#[async_trait]
impl Evaluator for All {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let said = without_errors(ask(&self.0, finished).await)?;
        let verdict = conjunction(evaluations(&said).map(|evaluation| &evaluation.verdict));
        let score = evaluations(&said).filter_map(|evaluation| evaluation.score).reduce(f64::min);
        Ok(Evaluation { score, ..merged(verdict, &said) })
    }
}

#[async_trait]
impl Evaluator for Any {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let said = ask(&self.0, finished).await;
        let has_pass = evaluations(&said).any(Evaluation::passed);
        let said = if has_pass { said } else { without_errors(said)? };
        let verdict = disjunction(evaluations(&said).map(|evaluation| &evaluation.verdict));
        let score = evaluations(&said).filter_map(|evaluation| evaluation.score).reduce(f64::max);
        Ok(Evaluation { score, ..merged(verdict, &said) })
    }
}

pub(super) async fn ask(evaluators: &[Named], finished: &FinishedAttempt) -> Vec<Said> {
    join_limited(evaluators.len(), evaluators.iter().map(|named| Said::by(named, finished))).await
}

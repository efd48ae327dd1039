//! A verdict by the score.

use async_trait::async_trait;
use reflection::Verdict;

use super::{minimum, reaches};
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// Passes what the evaluator scores at `min_score` or above, and fails what it scores below, whatever its own verdict: nine tests of
/// ten may be enough, and a pass that the judge is half sure of may not be.
///
/// Without a score a fail stays a fail and a pass becomes unknown; unknown stays unknown. The feedback is the evaluator's own, with the two numbers
/// before it where the verdict changes. A threshold is brought into [0, 1].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::{Keywords, threshold}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = threshold(Keywords::all(["who", "what", "when", "where"]), 0.75);
/// assert!(evaluator.evaluate(&finished("who did what, and where?")).await?.passed());
/// # Ok(()) }
/// ```
pub fn threshold<E: Evaluator>(evaluator: E, min_score: f64) -> Threshold<E> {
    Threshold { evaluator, min_score: minimum(min_score) }
}

/// What [`threshold()`] makes.
#[derive(Debug, Clone)]
pub struct Threshold<E> {
    evaluator: E,
    min_score: f64,
}

#[async_trait]
impl<E: Evaluator> Evaluator for Threshold<E> {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let evaluation = self.evaluator.evaluate(finished).await?;
        let verdict = match (&evaluation.verdict, evaluation.score) {
            (Verdict::Unknown(_), _) | (Verdict::Fail, None) => return Ok(evaluation),
            (Verdict::Pass, None) => Verdict::Unknown(format!("there is no score to reach {} with", self.min_score)),
            (_, Some(score)) if reaches(score, self.min_score) => Verdict::Pass,
            (_, Some(_)) => Verdict::Fail,
        };
        if verdict == evaluation.verdict {
            return Ok(evaluation);
        }
        let how = match evaluation.score {
            Some(score) => format!("the score is {score:.2}, and {:.2} is needed", self.min_score),
            None => format!("there is no score, and {:.2} is needed", self.min_score),
        };
        let feedback = if evaluation.feedback.is_empty() { how } else { format!("{how}; {}", evaluation.feedback) };
        Ok(Evaluation { verdict, feedback, ..evaluation })
    }
}

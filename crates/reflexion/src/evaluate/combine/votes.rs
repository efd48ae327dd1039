//! One evaluator asked several times.

use async_trait::async_trait;
use reflection::Verdict;

use super::named::{Said, evaluations, merged, without_errors};
use crate::{
    BoxError, Evaluation, Evaluator, FinishedAttempt,
    evaluate::{join::join_limited, share},
};

/// Asks the evaluator `n` times (at least once) and takes what more than half of all votes say; a tie, or too many that do not know, is
/// unknown. The score is the share of passes.
///
/// For judges that answer differently each time, such as a model above temperature zero. A vote that fails counts for neither side; where the
/// others are more than half without it they decide, else its error is passed on.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use std::sync::Arc;
/// use reflect_llm::{ScriptedModel, ScriptedStep};
/// use reflexion::{Evaluator, evaluate::{LlmEvaluator, votes}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let replies = ["pass", "fail", "pass"].map(|verdict| ScriptedStep::text(format!("{{\"verdict\": \"{verdict}\"}}")));
/// let judge = LlmEvaluator::new(Arc::new(ScriptedModel::new(replies)));
/// let evaluation = votes(judge, 3).evaluate(&finished("42")).await?;
/// assert!(evaluation.passed());
/// # Ok(()) }
/// ```
pub fn votes<E: Evaluator>(evaluator: E, n: usize) -> Votes<E> {
    Votes { evaluator, n: n.max(1), concurrency: 4 }
}

/// What [`votes()`] makes.
#[derive(Debug, Clone)]
pub struct Votes<E> {
    evaluator: E,
    n: usize,
    concurrency: usize,
}

impl<E> Votes<E> {
    /// How many votes are asked for at once, 4 unless set.
    #[must_use]
    pub fn concurrency(self, concurrency: usize) -> Self {
        Self { concurrency, ..self }
    }
}

#[async_trait]
impl<E: Evaluator> Evaluator for Votes<E> {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let asking = (1..=self.n).map(|number| async move {
            Said { name: format!("vote {number}"), result: self.evaluator.evaluate(finished).await }
        });
        let said = join_limited(self.concurrency, asking).await;
        let count = |verdict: &Verdict| evaluations(&said).filter(|vote| vote.verdict == *verdict).count();
        let (passes, fails) = (count(&Verdict::Pass), count(&Verdict::Fail));
        let verdict = match majority(passes, fails, self.n) {
            Some(verdict) => verdict,
            None => {
                return without_errors(said).map(|said| {
                    let why = format!("of {} votes {passes} say pass and {fails} fail", self.n);
                    counted(Verdict::Unknown(why), &said, passes, self.n)
                });
            }
        };
        Ok(counted(verdict, &said, passes, self.n))
    }
}

fn counted(verdict: Verdict, said: &[Said], passes: usize, n: usize) -> Evaluation {
    merged(verdict, said).scored(share(passes, n))
}

/// What more than half of all votes say.
fn majority(passes: usize, fails: usize, n: usize) -> Option<Verdict> {
    match (passes > n / 2, fails > n / 2) {
        (true, _) => Some(Verdict::Pass),
        (_, true) => Some(Verdict::Fail),
        _ => None,
    }
}

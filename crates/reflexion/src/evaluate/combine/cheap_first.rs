//! Cheap evaluators before dear ones.

use async_trait::async_trait;
use reflection::Verdict;

use super::{
    conjunction,
    named::{Named, Said, evaluations, merged, without_errors},
};
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// What ends a row of evaluators before its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndsAt {
    /// A fail, since nothing after it can change that.
    #[default]
    Fail,
    /// A fail, or an evaluator that does not know: the rest could not make a pass of it.
    FailOrUnknown,
}

/// Asks the evaluators one after the other, and stops at a fail: what the cheap ones refuse is not worth the dear one's price. The
/// verdict is that of [`all`](super::all()) over those that were asked, and so is the score; the feedback says who was not. An error
/// ends the row, and is the error of all.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use std::sync::Arc;
/// use reflect_llm::ScriptedModel;
/// use reflexion::{Evaluator, evaluate::{LlmEvaluator, cheap_first, contains, named}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let model = Arc::new(ScriptedModel::new([]));
/// let judge = LlmEvaluator::new(model.clone());
/// let evaluator = cheap_first([named("sources", contains("http")), named("judge", judge)]);
/// let evaluation = evaluator.evaluate(&finished("It is so.")).await?;
/// assert_eq!(evaluation.feedback, "sources (fail): missing: `http`\nnot asked: judge");
/// assert!(model.requests().is_empty());
/// # Ok(()) }
/// ```
pub fn cheap_first(evaluators: impl IntoIterator<Item = Named>) -> CheapFirst {
    CheapFirst { evaluators: evaluators.into_iter().collect(), ends_at: EndsAt::default() }
}

/// What [`cheap_first()`] makes.
#[derive(Clone)]
pub struct CheapFirst {
    evaluators: Vec<Named>,
    ends_at: EndsAt,
}

impl CheapFirst {
    /// What ends the row; a fail unless set.
    #[must_use]
    pub fn ends_at(self, ends_at: EndsAt) -> Self {
        Self { ends_at, ..self }
    }

    fn ends_with(&self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Pass => false,
            Verdict::Fail => true,
            Verdict::Unknown(_) => self.ends_at == EndsAt::FailOrUnknown,
        }
    }
}

#[async_trait]
impl Evaluator for CheapFirst {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let mut said: Vec<Said> = Vec::with_capacity(self.evaluators.len());
        let mut left = self.evaluators.iter();
        for named in left.by_ref() {
            let asked = Said::by(named, finished).await;
            let ends = asked.result.as_ref().map_or(true, |evaluation| self.ends_with(&evaluation.verdict));
            said.push(asked);
            if ends {
                break;
            }
        }
        let said = without_errors(said)?;
        let verdict = conjunction(evaluations(&said).map(|evaluation| &evaluation.verdict));
        let score = evaluations(&said).filter_map(|evaluation| evaluation.score).reduce(f64::min);
        let mut evaluation = Evaluation { score, ..merged(verdict, &said) };
        let not_asked: Vec<&str> = left.map(|named| named.name.as_str()).collect();
        if !not_asked.is_empty() {
            evaluation.feedback.push_str(&format!("\nnot asked: {}", not_asked.join(", ")));
        }
        Ok(evaluation)
    }
}

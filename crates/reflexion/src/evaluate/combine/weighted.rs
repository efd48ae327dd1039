//! A weighted mean of scores against a threshold.

use async_trait::async_trait;
use reflection::Verdict;

use super::{
    all_any::ask,
    minimum,
    named::{Named, evaluations, merged, without_errors},
    reaches,
};
use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};

/// Passes what reaches `threshold` with the weighted mean of the evaluators' scores.
///
/// Who gives no score counts 1 for a pass and 0 for a fail. Who does not know may turn out as anything from 0 to 1: if the threshold
/// is reached, or missed, either way, that is the verdict, else it is unknown. The score is the mean over those who know. An error
/// of one is the error of all. A weight that is no number or below zero counts as zero; if all do, nothing is known. A threshold
/// is brought into [0, 1].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use reflexion::{Evaluator, evaluate::{contains, named, weighted}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = weighted([(3.0, named("sum", contains("42"))), (1.0, named("thanks", contains("Thank you")))], 0.7);
/// let evaluation = evaluator.evaluate(&finished("42")).await?;
/// assert!(evaluation.passed());
/// assert_eq!(evaluation.score, Some(0.75));
/// # Ok(()) }
/// ```
pub fn weighted(evaluators: impl IntoIterator<Item = (f64, Named)>, threshold: f64) -> Weighted {
    let (weights, evaluators) = evaluators.into_iter().unzip();
    Weighted { weights, evaluators, threshold: minimum(threshold) }
}

/// What [`weighted()`] makes.
#[derive(Clone)]
pub struct Weighted {
    weights: Vec<f64>,
    evaluators: Vec<Named>,
    threshold: f64,
}

#[async_trait]
impl Evaluator for Weighted {
    async fn evaluate(&self, finished: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let said = without_errors(ask(&self.evaluators, finished).await)?;
        let mean = Mean::of(self.weights.iter().copied().zip(evaluations(&said)));
        Ok(Evaluation { score: mean.known(), ..merged(mean.verdict(self.threshold), &said) })
    }
}

/// Weights as shares of them all.
#[derive(Debug, Default, PartialEq)]
struct Mean {
    /// What the known scores add.
    sum: f64,
    /// The share of those who know.
    known: f64,
    /// The share of those who do not.
    unknown: f64,
}

impl Mean {
    fn of<'a>(weighed: impl Iterator<Item = (f64, &'a Evaluation)> + Clone) -> Self {
        let usable = |weight: f64| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        // By the largest first, so that huge weights do not add up to infinity.
        let largest = weighed.clone().map(|(weight, _)| usable(weight)).fold(0.0, f64::max);
        if largest == 0.0 {
            return Self::default();
        }
        let mut mean = Self::default();
        for (weight, evaluation) in weighed {
            let weight = usable(weight) / largest;
            match score(evaluation) {
                Some(score) => {
                    mean.sum += weight * score;
                    mean.known += weight;
                }
                None => mean.unknown += weight,
            }
        }
        let total = mean.known + mean.unknown;
        Self { sum: mean.sum / total, known: mean.known / total, unknown: mean.unknown / total }
    }

    fn known(&self) -> Option<f64> {
        (self.known > 0.0).then(|| (self.sum / self.known).clamp(0.0, 1.0))
    }

    fn verdict(&self, threshold: f64) -> Verdict {
        if self.known + self.unknown == 0.0 {
            return Verdict::Unknown("there is nothing to evaluate with".to_owned());
        }
        if reaches(self.sum, threshold) {
            Verdict::Pass
        } else if reaches(self.sum + self.unknown, threshold) {
            Verdict::Unknown("the evaluators that do not know decide".to_owned())
        } else {
            Verdict::Fail
        }
    }
}

fn score(evaluation: &Evaluation) -> Option<f64> {
    match evaluation.verdict {
        Verdict::Unknown(_) => None,
        Verdict::Pass => Some(evaluation.score.unwrap_or(1.0)),
        Verdict::Fail => Some(evaluation.score.unwrap_or(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn evaluation(score: Option<f64>) -> Evaluation {
        match score {
            Some(score) => Evaluation::fail("").scored(score),
            None => Evaluation::unknown("?"),
        }
    }

    proptest! {
        #[test]
        fn the_mean_keeps_its_range_and_an_unknown_never_overturns_a_verdict(
            parts in prop::collection::vec((prop::num::f64::ANY, prop::option::of(0.0..=1.0_f64)), 0..6),
            threshold in 0.0..=1.0_f64,
        ) {
            let evaluations: Vec<(f64, Evaluation)> =
                parts.iter().map(|(weight, score)| (*weight, evaluation(*score))).collect();
            let mean = Mean::of(evaluations.iter().map(|(weight, evaluation)| (*weight, evaluation)));
            prop_assert!(mean.known().is_none_or(|score| (0.0..=1.0).contains(&score)));
            let verdict = mean.verdict(threshold);
            for all_unknown_are in [0.0, 0.3, 1.0] {
                let settled: Vec<(f64, Evaluation)> = parts
                    .iter()
                    .map(|(weight, score)| (*weight, evaluation(Some(score.unwrap_or(all_unknown_are)))))
                    .collect();
                let settled = Mean::of(settled.iter().map(|(weight, evaluation)| (*weight, evaluation)));
                let settled = settled.verdict(threshold);
                let may_differ = matches!(verdict, Verdict::Unknown(_)) || matches!(settled, Verdict::Unknown(_));
                prop_assert!(may_differ || settled == verdict, "{verdict:?} became {settled:?}");
            }
        }
    }
}

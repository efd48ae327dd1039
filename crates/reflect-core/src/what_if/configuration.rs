//! A logged query, answered again on paper.

use crate::{
    ranking::blend,
    worth::{LocalScale, SlatePlan, TrialSlot, WorthConstants, slate},
};

/// What a query may be answered with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Configuration {
    /// The weight of utility, from 0 to 1.
    pub lambda: f64,
    /// How many memories are shown at most.
    pub limit: usize,
    /// The floor on cosine; none lets everything through.
    pub similarity_threshold: Option<f64>,
}

/// One of the best memories for a logged query, shown or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedCandidate {
    /// Its cosine to the task.
    pub cosine: f64,
    /// Its utility at that time, as it was ranked by.
    pub utility: f64,
    /// Whether it was retired.
    pub is_retired: bool,
}

/// A query as it was logged.
#[derive(Debug, Clone, Copy)]
pub struct LoggedQuery<'a> {
    /// The best candidates, in any fixed order; slates name them by position.
    pub candidates: &'a [LoggedCandidate],
    /// The scale of cosines at that time.
    pub scale: LocalScale,
}

impl<'a> LoggedQuery<'a> {
    /// A query with the unit of distance that was logged.
    pub fn new(candidates: &'a [LoggedCandidate], unit: f64, constants: &WorthConstants) -> Self {
        Self { candidates, scale: LocalScale::with_unit(unit, constants) }
    }

    /// The slate of a configuration without a trial.
    pub fn slate(&self, configuration: &Configuration) -> Vec<usize> {
        self.slate_with_trial(configuration, None)
    }

    /// The slate of a configuration with the memory of that rank on trial.
    pub fn slate_with_trial(&self, configuration: &Configuration, first: Option<usize>) -> Vec<usize> {
        self.slate_with(&self.order(configuration), configuration, first)
    }

    /// The positions that pass the floor, best first.
    fn order(&self, configuration: &Configuration) -> Vec<usize> {
        let floor = configuration.similarity_threshold.unwrap_or(f64::NEG_INFINITY);
        let passing = (0..).zip(self.candidates).filter(|(_, candidate)| candidate.cosine >= floor);
        let mut scored: Vec<(usize, f64)> = passing
            .map(|(position, candidate)| {
                let similarity = self.scale.similarity(candidate.cosine);
                (position, blend(similarity, candidate.utility, configuration.lambda))
            })
            .collect();
        scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        scored.into_iter().map(|(position, _)| position).collect()
    }

    fn slate_with(&self, order: &[usize], configuration: &Configuration, first: Option<usize>) -> Vec<usize> {
        let plan = SlatePlan { ranked: order.len(), limit: configuration.limit, first };
        let candidate = |rank: usize| order.get(rank).and_then(|position| self.candidates.get(*position));
        let ranks = slate(plan, |rank| candidate(rank).is_some_and(|candidate| candidate.is_retired));
        ranks.into_iter().filter_map(|rank| order.get(rank).copied()).collect()
    }
}

/// How answers were drawn in a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// Each configuration with its probability; they add up to 1.
    pub parts: Vec<(Configuration, f64)>,
    /// The trial slot on top of whichever was drawn.
    pub trials: TrialSlot,
}

impl Mixture {
    /// How probable it was that the query showed exactly these candidates.
    pub fn probability(&self, query: &LoggedQuery<'_>, shown: &[usize]) -> f64 {
        let parts = self.parts.iter().map(|(configuration, probability)| {
            let order = query.order(configuration);
            let odds = self.trials.odds(order.len(), |first| query.slate_with(&order, configuration, first));
            probability * odds.of_slate(shown)
        });
        parts.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(cosine: f64, utility: f64) -> LoggedCandidate {
        LoggedCandidate { cosine, utility, is_retired: utility < 0.01 }
    }

    #[test]
    fn a_slate_follows_weight_limit_floor_and_retirement() {
        let candidates = [candidate(0.9, 0.4), candidate(0.8, 0.9), candidate(0.2, 1.5), candidate(0.95, 0.0)];
        let query = LoggedQuery::new(&candidates, 0.5, &WorthConstants::default());
        let slate =
            |lambda, limit, similarity_threshold| query.slate(&Configuration { lambda, limit, similarity_threshold });
        assert_eq!(slate(0.0, 2, None), [0, 1]);
        assert_eq!(slate(0.5, 2, None), [1, 2]);
        assert_eq!(slate(0.5, 2, Some(0.5)), [1, 0]);
        assert_eq!(slate(1.0, 9, None), [2, 1, 0]);
    }

    #[test]
    fn configurations_that_agree_share_their_probability() {
        let candidates = [candidate(0.9, 0.4), candidate(0.8, 0.9), candidate(0.2, 1.5)];
        let query = LoggedQuery::new(&candidates, 0.5, &WorthConstants::default());
        let part = |lambda, limit| Configuration { lambda, limit, similarity_threshold: None };
        let parts = vec![(part(0.0, 1), 0.25), (part(0.05, 1), 0.25), (part(1.0, 1), 0.5)];
        let without = Mixture { parts: parts.clone(), trials: TrialSlot { share: 0.0, among: 20 } };
        assert_eq!([0, 1, 2].map(|shown| without.probability(&query, &[shown])), [0.5, 0.0, 0.5]);
        let with = Mixture { parts, trials: TrialSlot { share: 0.3, among: 20 } };
        let probabilities = [0, 1, 2].map(|shown| with.probability(&query, &[shown]));
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (probabilities[1] - 0.1).abs() < 1e-12);
    }
}

//! A query over made-up lessons, answered by any configuration as the index would without diversity.

use reflect_core::{
    ranking::blend,
    what_if::{Agreement, Resolved},
    worth::{LocalScale, SlatePlan, TrialSlot, WorthConstants, slate},
};

/// A lesson around the task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SimulatedLesson {
    /// Its cosine to the task.
    pub(super) cosine: f64,
    /// Its utility, as it is ranked by.
    pub(super) utility: f64,
    /// Whether it is retired.
    pub(super) is_retired: bool,
}

/// A query with the lessons around it; slates name them by position.
#[derive(Debug, Clone)]
pub(super) struct SimulatedQuery {
    lessons: Vec<SimulatedLesson>,
    scale: LocalScale,
}

impl SimulatedQuery {
    pub(super) fn new(lessons: Vec<SimulatedLesson>, unit: f64) -> Self {
        Self { lessons, scale: LocalScale::with_unit(unit, &WorthConstants::default()) }
    }

    /// The slate of a configuration, with the memory of that rank on trial if there is one.
    pub(super) fn slate(&self, configuration: &Resolved, first: Option<usize>) -> Vec<usize> {
        let order = self.order(configuration);
        let plan = SlatePlan { ranked: order.len(), limit: configuration.limit, first };
        let lesson = |rank: usize| order.get(rank).and_then(|position| self.lessons.get(*position));
        let ranks = slate(plan, |rank| lesson(rank).is_some_and(|lesson| lesson.is_retired));
        let mut slate: Vec<usize> = ranks.into_iter().filter_map(|rank| order.get(rank).copied()).collect();
        slate.sort_unstable();
        slate
    }

    /// How many lessons pass the floor.
    pub(super) fn ranked(&self, configuration: &Resolved) -> usize {
        self.order(configuration).len()
    }

    /// How a configuration relates to an answer that was shown.
    pub(super) fn agreement(&self, configuration: &Resolved, trials: &TrialSlot, shown: &[usize]) -> Agreement {
        let odds = trials.odds(self.ranked(configuration), |first| self.slate(configuration, first));
        Agreement { chance: odds.of_slate(shown), same: self.slate(configuration, None) == shown }
    }

    /// The positions that pass the floor, best first.
    fn order(&self, configuration: &Resolved) -> Vec<usize> {
        let floor = configuration.similarity_threshold.unwrap_or(f64::NEG_INFINITY);
        let passing = (0..).zip(&self.lessons).filter(|(_, lesson)| lesson.cosine >= floor);
        let mut scored: Vec<(usize, f64)> = passing
            .map(|(position, lesson)| {
                (position, blend(self.scale.similarity(lesson.cosine), lesson.utility, configuration.lambda))
            })
            .collect();
        scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        scored.into_iter().map(|(position, _)| position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> SimulatedQuery {
        let lesson = |cosine, utility| SimulatedLesson { cosine, utility, is_retired: utility < 0.01 };
        SimulatedQuery::new(vec![lesson(0.9, 0.4), lesson(0.8, 0.9), lesson(0.2, 1.5), lesson(0.95, 0.0)], 0.5)
    }

    #[test]
    fn a_slate_follows_weight_limit_floor_and_retirement() {
        let slate = |lambda, limit, similarity_threshold| {
            query().slate(&Resolved { lambda, limit, similarity_threshold }, None)
        };
        assert_eq!(slate(0.0, 2, None), [0, 1]);
        assert_eq!(slate(0.5, 2, None), [1, 2]);
        assert_eq!(slate(0.5, 2, Some(0.5)), [0, 1]);
        assert_eq!(slate(1.0, 9, None), [0, 1, 2]);
    }

    #[test]
    fn the_chances_of_all_slates_add_up() {
        let (query, trials) = (query(), TrialSlot { share: 0.3, among: 20 });
        let one = Resolved { lambda: 0.5, limit: 1, similarity_threshold: None };
        let agreements = [0, 1, 2, 3].map(|shown| query.agreement(&one, &trials, &[shown]));
        assert!((agreements.iter().map(|agreement| agreement.chance).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(agreements.iter().filter(|agreement| agreement.same).count(), 1);
    }
}

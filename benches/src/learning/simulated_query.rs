//! A query over made-up lessons, answered by any configuration as the index would without diversity.

use reflect_core::{
    MemoryId,
    ranking::blend,
    what_if::{Agreement, Resolved},
    worth::{Due, LineUp, LocalScale, RESERVE, SlateDraw, TrialSlot, WorthConstants},
};
use uuid::Uuid;

/// A lesson around the task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SimulatedLesson {
    /// Its cosine to the task.
    pub(super) cosine: f64,
    /// Its utility, as it is ranked by.
    pub(super) utility: f64,
    /// Whether it is retired.
    pub(super) is_retired: bool,
    /// How probable it is that it sits out.
    pub(super) sits_out: f64,
}

/// A query with the lessons around it; slates name them by position.
#[derive(Debug, Clone)]
pub(super) struct SimulatedQuery {
    lessons: Vec<SimulatedLesson>,
    scale: LocalScale,
    trials: TrialSlot,
}

impl SimulatedQuery {
    pub(super) fn new(lessons: Vec<SimulatedLesson>, unit: f64, trials: TrialSlot) -> Self {
        Self { lessons, scale: LocalScale::with_unit(unit, &WorthConstants::default()), trials }
    }

    /// What a configuration shows with these random numbers: positions, rising.
    pub(super) fn slate(&self, configuration: &Resolved, draw: SlateDraw) -> Vec<usize> {
        let (order, line_up) = self.line_up(configuration);
        let id = |position: usize| MemoryId::from_uuid(Uuid::from_u128(position as u128));
        let on_trial = line_up.trials.pick(order.len(), draw);
        let answer = line_up.answer(on_trial, |due| draw.coin(id(due.position)) < due.sits_out);
        let mut slate: Vec<usize> = answer.shown.into_iter().filter_map(|rank| order.get(rank).copied()).collect();
        slate.sort_unstable();
        slate
    }

    /// How probable it is that a configuration shows exactly these.
    pub(super) fn agreement(&self, configuration: &Resolved, shown: &[usize]) -> Agreement {
        let (order, line_up) = self.line_up(configuration);
        let rank = |shown: &usize| order.iter().position(|position| position == shown);
        let ranks = shown.iter().map(rank).collect::<Option<Vec<usize>>>().map(|mut ranks| {
            ranks.sort_unstable();
            ranks
        });
        Agreement { chance: ranks.map_or(0.0, |ranks| line_up.probability(&ranks)) }
    }

    /// The positions that pass the floor, best first, and who of them is due.
    fn line_up(&self, configuration: &Resolved) -> (Vec<usize>, LineUp) {
        let order = self.order(configuration);
        let lesson = |rank: usize| self.lessons.get(*order.get(rank)?);
        let due = |rank: usize| {
            let lesson = lesson(rank).filter(|lesson| !lesson.is_retired)?;
            Some(Due { position: rank, sits_out: lesson.sits_out })
        };
        let due = (0..order.len()).filter_map(due).take(configuration.limit + RESERVE).collect();
        let line_up = LineUp { ranked: order.len(), due, limit: configuration.limit, trials: self.trials };
        (order, line_up)
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

    fn query(share: f64, sits_out: f64) -> SimulatedQuery {
        let lesson = |cosine, utility| SimulatedLesson { cosine, utility, is_retired: utility < 0.01, sits_out };
        let lessons = vec![lesson(0.9, 0.4), lesson(0.8, 0.9), lesson(0.2, 1.5), lesson(0.95, 0.0)];
        SimulatedQuery::new(lessons, 0.5, TrialSlot { share, among: 20 })
    }

    #[test]
    fn a_slate_follows_weight_limit_floor_and_retirement() {
        let slate = |lambda, limit, similarity_threshold| {
            query(0.0, 0.0).slate(&Resolved { lambda, limit, similarity_threshold }, SlateDraw::default())
        };
        assert_eq!(slate(0.0, 2, None), [0, 1]);
        assert_eq!(slate(0.5, 2, None), [1, 2]);
        assert_eq!(slate(0.5, 2, Some(0.5)), [0, 1]);
        assert_eq!(slate(1.0, 9, None), [0, 1, 2]);
    }

    #[test]
    fn the_chances_of_all_slates_add_up() {
        let one = Resolved { lambda: 0.5, limit: 1, similarity_threshold: None };
        let chances = [0, 1, 2, 3].map(|shown| query(0.3, 0.2).agreement(&one, &[shown]).chance);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{chances:?}");
    }
}

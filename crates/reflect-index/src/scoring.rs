//! How similarity and what was learned become a score.

use reflect_core::{
    ranking::blend,
    worth::{Learned, LearningRule, LocalScale, Viewpoint},
};

use crate::{
    block::RowFacts,
    bounds::Weights,
    hits::{ByWorth, Search},
    retired::Retired,
    rows::Snapshot,
};

/// How a search scores. It is linear in the similarity, so that bounds on one are bounds on the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scoring {
    pub(crate) lambda: f64,
    pub(crate) scale: LocalScale,
    viewpoint: Viewpoint,
}

impl Scoring {
    pub(crate) fn new(search: &Search, scale: LocalScale) -> Self {
        let by_worth = |ByWorth { constants, today, .. }| Viewpoint { rule: LearningRule::Worth, constants, today };
        let viewpoint = search.by_worth.map_or_else(Viewpoint::default, by_worth);
        Self { lambda: search.settings.lambda, scale, viewpoint }
    }

    pub(crate) const fn rule(&self) -> LearningRule {
        self.viewpoint.rule
    }

    pub(crate) fn score(&self, similarity: f64, learned: &Learned) -> f64 {
        self.blend(similarity, learned.utility(self.rule(), &self.viewpoint.constants))
    }

    pub(crate) fn blend(&self, similarity: f64, utility: f64) -> f64 {
        blend(self.scale.similarity(similarity), utility, self.lambda)
    }

    /// Whether answers leave the memory out.
    pub(crate) fn is_retired(&self, facts: &RowFacts) -> bool {
        !facts.is_pinned && self.viewpoint.is_retired(&facts.learned)
    }

    /// Whether answers leave it out as they do a copy of it.
    pub(crate) fn is_outweighed(&self, facts: &RowFacts, retired: &Retired) -> bool {
        retired.outweigh(facts, &self.viewpoint)
    }

    /// What a memory is expected to add.
    pub(crate) fn worth(&self, learned: &Learned) -> Option<f64> {
        (self.rule() == LearningRule::Worth).then(|| learned.worth.mean(&self.viewpoint.constants))
    }

    pub(crate) fn q_value(&self, learned: &Learned) -> f64 {
        learned.q_value(self.rule(), &self.viewpoint.constants)
    }

    pub(crate) fn weights(&self, snapshot: &Snapshot) -> Weights {
        let (weight, slope) = (1.0 - self.lambda, self.scale.slope());
        Weights {
            similarity: weight * slope,
            utility: self.lambda,
            offset: weight * (1.0 - slope),
            largest_utility: snapshot.largest_utility,
        }
    }
}

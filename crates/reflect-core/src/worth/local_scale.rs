//! Cosines on the scale of a task's neighbourhood.
//!
//! Some embedders put everything between 0.7 and 0.9, others between 0 and 0.6. A fixed weight of similarity would decide alone with the
//! one and say nothing with the other. So distance is measured in units of how far apart things are around this task.

use super::{Baseline, WorthConstants, baseline::SMALLEST_UNIT};

/// How a query turns cosines into similarities that can be blended with utilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalScale {
    /// The local unit of distance, as one minus cosine.
    pub unit: f64,
    /// What a distance of one in cosine costs, on the scale of utilities.
    slope: f64,
}

/// The rank by similarity of the reviewed run at the edge of the neighbourhood, for an answer of so many memories.
pub const fn edge_rank(limit: usize) -> usize {
    limit.saturating_mul(3)
}

impl LocalScale {
    /// Cosines as they are.
    pub const PLAIN: Self = Self { unit: 1.0, slope: 1.0 };

    /// How far a similarity moves with a cosine.
    pub const fn slope(&self) -> f64 {
        self.slope
    }

    /// From the baseline of the task and the cosine of the run at the [`edge_rank`] (the least similar one if there are fewer),
    /// and how far tasks typically are.
    pub fn of(baseline: &Baseline, edge_similarity: Option<f64>, typical: f64, constants: &WorthConstants) -> Self {
        let edge = edge_similarity.map_or(SMALLEST_UNIT, |similarity| 1.0 - similarity);
        let unit = baseline.reach.max(edge).max(constants.smallest_unit * typical);
        Self::with_unit(unit.min(constants.largest_unit).max(SMALLEST_UNIT), constants)
    }

    /// With a unit that was logged.
    pub fn with_unit(unit: f64, constants: &WorthConstants) -> Self {
        Self { unit, slope: constants.gain() * constants.distance_cost / unit }
    }

    /// The similarity to blend with a utility: 1 for the same task, and falling with distance without end.
    ///
    /// It is linear in the cosine, so `(1 − λ) · similarity + λ · utility` is, too, and a scan with bounds stays exact.
    pub fn similarity(&self, cosine: f64) -> f64 {
        self.slope * cosine + (1.0 - self.slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::blend;

    #[test]
    fn an_embedder_that_squeezes_all_cosines_changes_no_score() {
        let constants = WorthConstants::default();
        for squeeze in [1.0, 0.1, 0.02] {
            let cosine = |plain: f64| 1.0 - squeeze * (1.0 - plain);
            let baseline = Baseline { usual: 0.5, reach: squeeze * 0.3 };
            let scale = LocalScale::of(&baseline, Some(cosine(0.6)), squeeze, &constants);
            assert!((scale.unit - squeeze * 0.4).abs() < 1e-12);
            assert!((scale.similarity(cosine(0.8)) - (1.0 - 12.3 * 0.05 * 0.5)).abs() < 1e-12);
        }
    }

    #[test]
    fn where_everything_is_far_away_a_distance_still_counts() {
        let scale = LocalScale::of(&Baseline { usual: 0.5, reach: 0.9 }, Some(0.0), 1.0, &WorthConstants::default());
        assert!((scale.slope() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn one_unit_of_distance_outweighs_the_worth_that_it_costs_and_no_more() {
        let constants = WorthConstants::default();
        let scale = LocalScale::with_unit(0.3, &constants);
        let score =
            |worth: f64, cosine: f64| blend(scale.similarity(cosine), 0.5 + constants.gain() * (worth - 0.02), 0.5);
        assert!(score(0.071, 0.6) > score(0.02, 0.9) && score(0.069, 0.6) < score(0.02, 0.9));
    }
}

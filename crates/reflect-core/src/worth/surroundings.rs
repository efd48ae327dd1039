//! What the reviewed runs around a task say about it.

use super::{
    Baseline, LocalScale, Neighbour, RunTotals, WorthConstants, baseline::FEWEST_NEIGHBOURS, edge_rank,
    neighbours_wanted,
};

/// What is usual for a task, and how far apart things are around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// What is usual.
    pub baseline: Baseline,
    /// How cosines become similarities.
    pub scale: LocalScale,
}

impl Surroundings {
    /// How many of the nearest reviewed runs are looked at for an answer of so many memories.
    pub fn runs_wanted(runs: usize, limit: usize) -> usize {
        neighbours_wanted(runs).max(edge_rank(limit)).min(runs)
    }

    /// From the nearest reviewed runs, [`Surroundings::runs_wanted`] of them, in any order. `None` while there are too few to say anything.
    pub fn of(
        mut nearest: Vec<Neighbour>,
        totals: RunTotals,
        limit: usize,
        constants: &WorthConstants,
    ) -> Option<Self> {
        if totals.runs < FEWEST_NEIGHBOURS {
            return None;
        }
        nearest.sort_unstable_by(|left, right| right.similarity.total_cmp(&left.similarity));
        let edge = nearest.get(edge_rank(limit).saturating_sub(1)).or(nearest.last())?.similarity;
        nearest.truncate(neighbours_wanted(totals.runs));
        let baseline = Baseline::of(&nearest, totals, constants);
        Some(Self { baseline, scale: LocalScale::of(&baseline, Some(edge), totals.typical_distance(), constants) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(count: usize) -> Vec<Neighbour> {
        let run = |number: usize| Neighbour { similarity: 1.0 - 0.01 * number as f64, score: 0.25, added: 0.05 };
        (0..count).map(run).rev().collect()
    }

    #[test]
    fn a_few_runs_say_nothing() {
        let of = |count: usize| {
            let totals = RunTotals { runs: count, score: 0.25 * count as f64, similarity: count as f64 };
            Surroundings::of(runs(count), totals, 3, &WorthConstants::default())
        };
        assert_eq!(of(0), None);
        assert_eq!(of(7), None);
        assert!(of(8).is_some());
    }

    #[test]
    fn the_unit_reaches_to_the_edge_and_the_baseline_to_the_neighbours() {
        let totals = RunTotals { runs: 100, score: 25.0, similarity: 100.0 };
        let of = |limit| Surroundings::of(runs(100), totals, limit, &WorthConstants::default()).unwrap();
        // Ten neighbours, of which the farthest is at 0.09.
        assert!((of(1).baseline.reach - 0.09).abs() < 1e-12 && (of(1).scale.unit - 0.09).abs() < 1e-12);
        assert!((of(10).scale.unit - 0.29).abs() < 1e-12);
        assert_eq!(of(10).baseline, of(1).baseline);
        assert_eq!(of(1_000).scale.unit, WorthConstants::default().largest_unit);
        let unbounded = WorthConstants { largest_unit: 2.0, ..WorthConstants::default() };
        let farthest = Surroundings::of(runs(100), totals, 1_000, &unbounded).unwrap();
        assert!((farthest.scale.unit - 0.99).abs() < 1e-12, "no farther than the farthest run");
    }
}

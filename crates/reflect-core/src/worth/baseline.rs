//! What is usual for a task: how reviewed runs of similar tasks went.

use super::WorthConstants;

/// Neighbours are looked for among so many of the newest reviewed runs.
pub const REMEMBERED_RUNS: usize = 4_000;

/// The nearest of them count, but never fewer than so many.
pub(super) const FEWEST_NEIGHBOURS: usize = 8;

/// No neighbourhood is smaller than this, in cosine.
pub(super) const SMALLEST_UNIT: f64 = 0.001;

/// A reviewed run of a similar task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The cosine of the tasks.
    pub similarity: f64,
    /// How it went, from 0 to 1.
    pub score: f64,
    /// What the memories it was shown were expected to add, as logged.
    pub added: f64,
}

/// All reviewed runs of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunTotals {
    /// How many there are.
    pub runs: usize,
    /// The sum of their scores.
    pub score: f64,
    /// The sum of the cosines of their tasks and the one at hand.
    pub similarity: f64,
}

impl RunTotals {
    /// How far from the task at hand a task of the project is.
    pub fn typical_distance(&self) -> f64 {
        1.0 - self.similarity / self.runs.max(1) as f64
    }
}

/// What is usual around a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// The score to be expected without memories.
    pub usual: f64,
    /// How far the farthest of the neighbours is, as one minus cosine.
    pub reach: f64,
}

/// How many neighbours a baseline wants after so many reviewed runs: their square root, so that a growing log means both more runs to
/// average and closer ones.
pub fn neighbours_wanted(runs: usize) -> usize {
    runs.isqrt().max(FEWEST_NEIGHBOURS)
}

impl Baseline {
    /// From the nearest reviewed runs, [`neighbours_wanted`] of them or all there are.
    ///
    /// ```text
    /// ( Σ (score − added) + c · project's mean score ) / (neighbours + c)
    /// ```
    pub fn of(nearest: &[Neighbour], totals: RunTotals, constants: &WorthConstants) -> Self {
        let everywhere = (totals.score + 1.0) / (totals.runs as f64 + 2.0);
        let without: f64 = nearest.iter().map(|run| run.score - run.added).sum();
        let usual = (without + constants.usual_runs * everywhere) / (nearest.len() as f64 + constants.usual_runs);
        let farthest = nearest.iter().map(|run| run.similarity).reduce(f64::min).unwrap_or(0.0);
        Self { usual, reach: (1.0 - farthest).max(SMALLEST_UNIT) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_project_expects_a_coin() {
        let baseline = Baseline::of(&[], RunTotals::default(), &WorthConstants::default());
        assert_eq!(baseline, Baseline { usual: 0.5, reach: 1.0 });
    }

    #[test]
    fn what_memories_added_is_not_usual() {
        let totals = RunTotals { runs: 98, score: 49.0, similarity: 0.0 };
        let runs = [
            Neighbour { similarity: 0.9, score: 1.0, added: 0.25 },
            Neighbour { similarity: 0.7, score: 1.0, added: 0.0 },
        ];
        let baseline = Baseline::of(&runs, totals, &WorthConstants::default());
        assert!((baseline.usual - (1.75 + 8.0 * 0.5) / 10.0).abs() < 1e-12);
        assert!((baseline.reach - 0.3).abs() < 1e-12);
    }

    #[test]
    fn neighbours_grow_with_the_root_of_the_runs() {
        assert_eq!([0, 63, 81, 4_000, 6_399].map(neighbours_wanted), [8, 8, 9, 63, 79]);
    }
}

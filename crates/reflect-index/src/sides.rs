//! What of each memory a search compares: its task, its lesson or both, with what is certain about either after part of it was read.

use reflect_core::{Match, worth::LearningRule};

use crate::{
    block::{Block, Side},
    bounds::{Bounds, Level, RowSizes},
    kernels::Kernels,
    rows::Snapshot,
    scoring::Scoring,
    task::RoundedTask,
};

/// One side of the memories that a search compares. A memory is as similar as the nearer of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchedSide {
    pub(crate) side: Side,
    pub(crate) bounds: Bounds,
    /// What is taken off its similarities.
    pub(crate) handicap: f64,
    /// By which rule its utilities are.
    pub(crate) rule: LearningRule,
}

/// What is certain about a memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Certain {
    pub(crate) highest_score: f32,
    pub(crate) lowest_score: f32,
    pub(crate) highest_similarity: f64,
    pub(crate) lowest_similarity: f64,
    /// The side that this is by, unless it may be either.
    pub(crate) nearer: Option<Side>,
}

impl SearchedSide {
    /// The sides that are compared.
    pub(crate) fn of(matching: Match, scoring: &Scoring, task: &RoundedTask, snapshot: &Snapshot) -> Vec<Self> {
        let weights = scoring.weights(snapshot);
        let rows = RowSizes { dimension: snapshot.dimension, largest_norm: snapshot.largest_norm };
        let sides = [(Side::Task, matching.task_handicap()), (Side::Lesson, matching.lesson_handicap())];
        let searched = sides.into_iter().filter_map(|(side, handicap)| {
            let handicap = handicap?;
            let bounds = Bounds::new(task, rows, weights, handicap);
            Some(Self { side, bounds, handicap, rule: scoring.rule() })
        });
        searched.collect()
    }

    /// Whether it may be the nearer one of a row, of which that may be known.
    pub(crate) fn may_be(&self, nearer: Option<Side>) -> bool {
        nearer.is_none_or(|nearer| nearer == self.side)
    }

    /// What a row's coarse form says, from the sum that its sketch gave.
    pub(crate) fn coarsely(&self, block: &Block, task: &RoundedTask, slot: usize, sketch_sum: i32) -> Option<Certain> {
        let vectors = block.side(self.side);
        let (step, error) = (*vectors.steps().get(slot)?, *vectors.coarse_errors().get(slot)?);
        let mut detail_sum = [0];
        (Kernels::best().sums)(vectors.detail(slot), &task.units, &mut detail_sum);
        let [detail_sum] = detail_sum;
        let dot = 16 * sketch_sum + detail_sum - task.coarse_bias;
        Some(self.certain(&self.bounds.coarse, (dot, step, error), *block.utilities(self.rule).get(slot)?))
    }

    /// What a row's sketch says.
    pub(crate) fn roughly(&self, block: &Block, task: &RoundedTask, slot: usize, sketch_sum: i32) -> Option<Certain> {
        let vectors = block.side(self.side);
        let (step, error) = (*vectors.steps().get(slot)?, *vectors.sketch_errors().get(slot)?);
        let dot = 2 * sketch_sum - task.sketch_bias;
        Some(self.certain(&self.bounds.sketch, (dot, step, error), *block.utilities(self.rule).get(slot)?))
    }

    fn certain(&self, level: &Level, read: (i32, f32, f32), utility: f32) -> Certain {
        let (dot, step, error) = read;
        let (similarity, off_by) = (f64::from(level.similarity(dot, step)), f64::from(level.similarity_error(error)));
        let highest_score = level.highest_score(read, utility);
        Certain {
            highest_score,
            lowest_score: highest_score - level.score_width(error),
            highest_similarity: similarity + off_by,
            lowest_similarity: similarity - off_by,
            nearer: Some(self.side),
        }
    }
}

impl Certain {
    /// What is certain if the nearer of two sides counts.
    pub(crate) fn or(self, other: Self) -> Self {
        let nearer = if self.lowest_similarity > other.highest_similarity {
            self.nearer
        } else if other.lowest_similarity > self.highest_similarity {
            other.nearer
        } else {
            None
        };
        Self {
            highest_score: higher(self.highest_score, other.highest_score),
            lowest_score: self.lowest_score.max(other.lowest_score),
            highest_similarity: self.highest_similarity.max(other.highest_similarity),
            lowest_similarity: self.lowest_similarity.max(other.lowest_similarity),
            nearer,
        }
    }
}

/// The higher of two bounds. One that is not a number says nothing, so neither do both together.
pub(crate) fn higher(left: f32, right: f32) -> f32 {
    if right > left || right.is_nan() { right } else { left }
}

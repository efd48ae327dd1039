//! What a dot product with part of a row says for certain.
//!
//! Let `x` be a row as it is kept and `t` the task; let `p` be the part of the row that was read and `r` what the task was rounded to. Then
//!
//! ```text
//! x·t = p·r + x·(t − r) + (x − p)·r      |x·(t − r)| ≤ |x|·|t − r|      |(x − p)·r| ≤ |x − p|·|r|      (Cauchy and Schwarz)
//! ```
//!
//! `p·r` is an integer dot product times two scales, `|x − p|` is kept with the row, `|t − r|` and `|r| ≤ |t| + |t − r|` are known once a
//! query, and for `|x|` the largest of the project will do. So every row's similarity, and with its utility its score, lies between
//! two numbers that the scan knows, and no row that could win is ever passed over. That holds for sketches and, closer, for coarse rows.

use crate::{
    encoding::{COARSE, SKETCH, rounded_up},
    kernels::ScoreTerms,
    task::RoundedTask,
};

/// What is certain after either part of a row was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) sketch: Level,
    pub(crate) coarse: Level,
}

/// What bounds have to know about the rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowSizes {
    pub(crate) dimension: usize,
    pub(crate) largest_norm: f32,
}

/// How a similarity and a utility become a score: `similarity · s + utility · u + offset`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    pub(crate) similarity: f64,
    pub(crate) utility: f64,
    pub(crate) offset: f64,
    /// No utility is farther from 0.
    pub(crate) largest_utility: f64,
}

/// How a dot product becomes a similarity, a score, and how far off either can be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) terms: ScoreTerms,
    task_norm: f32,
    /// What every similarity may be off by, whichever the row.
    constant: f32,
    /// What every score may be off by, whichever the row.
    slack: f32,
    /// What is taken off every similarity.
    handicap: f32,
}

impl Bounds {
    /// For a task, rows of a snapshot, the weights of a score, and what is taken off the similarities.
    pub(crate) fn new(task: &RoundedTask, rows: RowSizes, weights: Weights, handicap: f64) -> Self {
        let RowSizes { dimension, largest_norm } = rows;
        let level = |unit: f64| {
            let lengths = f64::from(largest_norm) * task.norm;
            // The exact similarity is itself a sum of floats: each addition may be off by 2⁻²⁴ of what is added, and no term
            // passes through more than a thirty-second of the additions, a rest of up to 31, and the last few. The rest is for this file's own floats.
            let rounding = ((dimension as f64 / 16.0 + 64.0) * lengths + 4.0 * handicap) * f64::from(f32::EPSILON);
            let constant = rounded_up(task.error * f64::from(largest_norm) + rounding);
            let Weights { similarity: weight, utility, offset, largest_utility } = weights;
            let task_norm = rounded_up(task.norm + task.error);
            let sizes = weight.abs() * lengths.max(1.0) + utility.abs() * largest_utility.max(1.0) + offset.abs();
            let blending = sizes * 8.0 * f64::from(f32::EPSILON);
            let slack = rounded_up(weight.abs() * f64::from(constant) + blending);
            let terms = ScoreTerms {
                dot: unit as f32,
                similarity: weight as f32,
                error: rounded_up(weight.abs() * f64::from(task_norm)),
                utility: utility as f32,
                // Whichever way the last float is rounded, `blending` is more than it can be off by.
                slack: slack + (offset - weight * handicap) as f32,
            };
            Level { terms, task_norm, constant, slack, handicap: handicap as f32 }
        };
        Self { sketch: level(task.scale * f64::from(SKETCH)), coarse: level(task.scale * f64::from(COARSE)) }
    }
}

impl Level {
    /// The similarity that a dot product stands for, less the handicap.
    pub(crate) fn similarity(&self, dot: i32, step: f32) -> f32 {
        self.terms.similarity_of(dot, step) - self.handicap
    }

    /// The highest score that a dot product allows.
    pub(crate) fn highest_score(&self, (dot, step, error): (i32, f32, f32), utility: f32) -> f32 {
        self.terms.highest_score(self.terms.similarity_of(dot, step), utility, error)
    }

    /// How far the exact similarity may be from it, for a row of which this much was not read.
    pub(crate) fn similarity_error(&self, error: f32) -> f32 {
        error * self.task_norm + self.constant
    }

    /// How far below its highest possible score a row can be.
    pub(crate) fn score_width(&self, error: f32) -> f32 {
        2.0 * (error * self.terms.error + self.slack)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{encoding::EncodedRow, kernels::Kernels};

    /// A vector of which the bounds are asked, of any length.
    fn vector(dimension: usize) -> impl Strategy<Value = Vec<f32>> {
        let value = prop_oneof![6 => -1.0..=1.0_f32, 1 => Just(0.0), 1 => Just(1.0)];
        (prop::collection::vec(value, dimension), prop::sample::select(vec![1e-3_f32, 0.1, 1.0, 30.0])).prop_map(
            |(values, length)| {
                let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
                values.into_iter().map(|value| value / norm * length).collect()
            },
        )
    }

    fn rows_and_tasks() -> impl Strategy<Value = (Vec<f32>, Vec<f32>, f64)> {
        let dimension = prop_oneof![Just(1_usize), 2..20_usize, 126..131_usize, Just(384), Just(1_000)];
        dimension.prop_flat_map(|dimension| (vector(dimension), vector(dimension), 0.0..=1.0_f64))
    }

    /// What a level says of a row, and what is so: how far off it is, as a share of what it may be.
    fn share_of_error(row: &EncodedRow, task: &[f32], level: &Level, (dot, error): (i32, f32)) -> f64 {
        let exact: f64 = row.restored().iter().zip(task).map(|(row, task)| f64::from(*row) * f64::from(*task)).sum();
        let said = f64::from(dot as f32 * (row.step * level.terms.dot));
        (exact - said).abs() / f64::from(level.similarity_error(error)).max(f64::MIN_POSITIVE)
    }

    /// A coordinate as its coarse row and as its sketch have it.
    fn parts(value: f32, step: f32) -> (f64, f64) {
        let step = f64::from(step).max(f64::MIN_POSITIVE);
        let coarse = ((f64::from(value) / step).round() / 256.0 + 0.5).floor();
        let sketch = ((coarse + 128.0) / 16.0).floor() * 2.0 - 15.0;
        (coarse * 256.0 * step, sketch * f64::from(SKETCH) * step)
    }

    fn sum(plane: &[u8], units: &[i8]) -> i32 {
        let mut sums = [0];
        (Kernels::best().sums)(plane, units, &mut sums);
        sums[0]
    }

    fn shares(row: &EncodedRow, task: &[f32], lambda: f64) -> [f64; 2] {
        let rounded = RoundedTask::new(task).unwrap();
        let rows = RowSizes { dimension: row.dimension, largest_norm: row.norm };
        let weights = Weights { similarity: 1.0 - lambda, utility: lambda, offset: 0.0, largest_utility: 1.0 };
        let bounds = Bounds::new(&rounded, rows, weights, 0.0);
        let (upper, lower) = (sum(&row.sketch, &rounded.units), sum(&row.detail, &rounded.units));
        let sketch = (2 * upper - rounded.sketch_bias, row.sketch_error);
        let coarse = (16 * upper + lower - rounded.coarse_bias, row.coarse_error);
        [share_of_error(row, task, &bounds.sketch, sketch), share_of_error(row, task, &bounds.coarse, coarse)]
    }

    proptest! {
        #[test]
        fn no_row_is_further_off_than_its_bounds_say((row, task, lambda) in rows_and_tasks()) {
            let encoded = EncodedRow::encode(&row).unwrap();
            let along = |part: Vec<f64>| -> Vec<f32> {
                encoded.restored().iter().zip(part).map(|(kept, part)| (f64::from(*kept) - part) as f32).collect()
            };
            // The worst tasks are those that point along what was left out.
            let (coarse, sketch) = encoded.restored().into_iter().map(|value| parts(value, encoded.step)).unzip();
            for task in [task, along(coarse), along(sketch)] {
                for share in shares(&encoded, &task, lambda) {
                    prop_assert!(share <= 1.0, "{share} of what was allowed");
                }
            }
        }
    }

    #[test]
    fn the_worst_task_uses_its_bound_up() {
        let row: Vec<f32> = (0..384).map(|coordinate| ((coordinate * 37 % 101) as f32 - 50.0) / 1_000.0).collect();
        let encoded = EncodedRow::encode(&row).unwrap();
        let left_out = encoded.restored().into_iter().map(|value| f64::from(value) - parts(value, encoded.step).1);
        // In whole units of the largest, so that rounding the task takes nothing of the bound.
        let largest = left_out.clone().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let task: Vec<f32> = left_out.map(|value| (value / largest * 127.0).round() as f32).collect();
        let [share, _] = shares(&encoded, &task, 0.5);
        assert!((0.99..=1.0).contains(&share), "{share}");
    }
}

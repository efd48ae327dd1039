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

use super::{
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

/// How a dot product becomes a similarity, a score, and how far off either can be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) terms: ScoreTerms,
    task_norm: f32,
    /// What every similarity may be off by, whichever the row.
    constant: f32,
}

impl Bounds {
    pub(crate) fn new(task: &RoundedTask, dimension: usize, largest_norm: f32, lambda: f64) -> Self {
        let level = |unit: f64| {
            let lengths = f64::from(largest_norm) * task.norm;
            // The exact similarity is itself a sum of floats: each addition may be off by 2⁻²⁴ of what is added, and no term
            // passes through more than a sixteenth of the additions, a rest of up to 31, and the last few. The rest is for this file's own floats.
            let rounding = (dimension as f64 / 16.0 + 64.0) * f64::from(f32::EPSILON) * lengths;
            let constant = rounded_up(task.error * f64::from(largest_norm) + rounding);
            let weight = 1.0 - lambda;
            let task_norm = rounded_up(task.norm + task.error);
            let blending = (weight.abs() * lengths.max(1.0) + lambda.abs()) * 8.0 * f64::from(f32::EPSILON);
            let terms = ScoreTerms {
                dot: unit as f32,
                similarity: weight as f32,
                error: rounded_up(weight.abs() * f64::from(task_norm)),
                utility: lambda as f32,
                slack: rounded_up(weight.abs() * f64::from(constant) + blending),
            };
            Level { terms, task_norm, constant }
        };
        Self { sketch: level(task.scale * f64::from(SKETCH)), coarse: level(task.scale * f64::from(COARSE)) }
    }
}

impl Level {
    /// The similarity that a dot product stands for.
    pub(crate) fn similarity(&self, dot: i32, step: f32) -> f32 {
        (dot as f32 * (step * self.terms.dot)).clamp(-1.0, 1.0)
    }

    /// How far the exact similarity may be from it, for a row of which this much was not read.
    pub(crate) fn similarity_error(&self, error: f32) -> f32 {
        error * self.task_norm + self.constant
    }

    /// How far below its highest possible score a row can be.
    pub(crate) fn score_width(&self, error: f32) -> f32 {
        2.0 * (error * self.terms.error + self.terms.slack)
    }
}

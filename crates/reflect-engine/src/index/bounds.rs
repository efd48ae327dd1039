//! What a coarse dot product says for certain.
//!
//! Let `x` be a row as it is kept, `c` its coarse part and `e` the rest; let `t` be the task and `r` its rounded form. Then
//!
//! ```text
//! x·t = c·r + c·(t − r) + e·t      |c·(t − r)| ≤ |c|·|t − r|      |e·t| ≤ |e|·|t|      (Cauchy and Schwarz)
//! ```
//!
//! `c·r` is the integer dot product times two scales, `|e|` is kept with the row, `|t|` and `|t − r|` are computed once a query, and for
//! `|c|` the largest of the project will do. So every row's similarity, and with its utility its score, lies between two
//! numbers that the scan knows, and no row that could win is ever passed over.

use super::{encoding::rounded_up, kernels::ScoreTerms, task::TaskPlanes};

/// How a coarse dot product becomes a similarity, a score, and how far off either can be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) terms: ScoreTerms,
    task_norm: f32,
    /// What every similarity may be off by, whichever the row.
    constant: f32,
}

impl Bounds {
    pub(crate) fn new(task: &TaskPlanes, dimension: usize, largest_norm: f32, lambda: f64) -> Self {
        let lengths = f64::from(largest_norm) * task.norm;
        // The exact similarity is itself a sum of floats: each addition may be off by 2⁻²⁴ of what is added, and no term
        // passes through more than a sixteenth of the additions, a rest of up to 31, and the last few. The rest is for this file's own floats.
        let rounding = (dimension as f64 / 16.0 + 64.0) * f64::from(f32::EPSILON) * lengths;
        let constant = rounded_up(task.error * f64::from(largest_norm) + rounding);
        let weight = 1.0 - lambda;
        let task_norm = rounded_up(task.norm);
        let blending = (weight.abs() * lengths.max(1.0) + lambda.abs()) * 8.0 * f64::from(f32::EPSILON);
        let terms = ScoreTerms {
            dot: (task.scale * 65_536.0) as f32,
            similarity: weight as f32,
            error: rounded_up(weight.abs() * f64::from(task_norm)),
            utility: lambda as f32,
            slack: rounded_up(weight.abs() * f64::from(constant) + blending),
        };
        Self { terms, task_norm, constant }
    }

    /// The similarity that a dot product stands for.
    pub(crate) fn similarity(&self, dot: i32, step: f32) -> f32 {
        (dot as f32 * (step * self.terms.dot)).clamp(-1.0, 1.0)
    }

    /// How far the exact similarity may be from it, for a row whose coarse form leaves out this much.
    pub(crate) fn similarity_error(&self, error: f32) -> f32 {
        error * self.task_norm + self.constant
    }

    /// How far below its highest possible score a row can be.
    pub(crate) fn score_width(&self, error: f32) -> f32 {
        2.0 * (error * self.terms.error + self.terms.slack)
    }
}

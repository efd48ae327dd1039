//! What each operation means. Inlined into the wider versions where the compiler does as well as a person would.

use super::{Kernels, Scalars, ScoreTerms};
use crate::index::task::TaskPlanes;

pub(super) static KERNELS: Kernels = Kernels { name: "plain", dots, prefetch: |_| {}, highest_scores, restore, cosine };

fn dots(rows: &[u8], task: &TaskPlanes, dots: &mut [i32]) {
    for (row, dot) in rows.chunks_exact(task.wide.len()).zip(dots) {
        let products = row.iter().zip(&task.wide).map(|(value, task)| (i32::from(*value) - 128) * i32::from(*task));
        // The planes are scaled so that no sum leaves an `i32`; see `TaskPlanes`.
        *dot = products.fold(0, i32::wrapping_add);
    }
}

#[inline(always)]
pub(super) fn highest_scores(dots: &[i32], scalars: &Scalars<'_>, terms: &ScoreTerms, highest: &mut [f32]) {
    let rows = dots.iter().zip(scalars.steps).zip(scalars.errors).zip(scalars.utilities);
    for ((((dot, step), error), utility), highest) in rows.zip(highest) {
        let similarity = (*dot as f32 * (step * terms.dot)).clamp(-1.0, 1.0);
        *highest = similarity * terms.similarity + utility * terms.utility + (error * terms.error + terms.slack);
    }
}

#[inline(always)]
pub(super) fn restore(coarse: &[u8], fine: &[i16], step: f32, floats: &mut [f32]) {
    for ((coarse, fine), float) in coarse.iter().zip(fine).zip(floats) {
        // 24 bits, which a float holds exactly.
        *float = ((i32::from(*coarse) - 128) * 65_536 + i32::from(*fine)) as f32 * step;
    }
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    reflect_core::cosine(left, right)
}

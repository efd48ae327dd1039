//! What each operation means. Inlined into the wider versions where the compiler does as well as a person would.

use super::{Kernels, Scalars, ScoreTerms};
use crate::{
    encoding::{COARSE, VectorView},
    nibbles::{GROUP, GROUP_BYTES, joined},
};

pub(super) static KERNELS: Kernels = Kernels { sums, prefetch: |_, _| {}, highest_scores, restore, cosine };

fn sums(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact((task.len() / 2).max(1)).zip(sums) {
        *sum = 0;
        for (bytes, task) in row.as_chunks::<GROUP_BYTES>().0.iter().zip(task.as_chunks::<GROUP>().0) {
            let (first, second) = task.split_at(GROUP_BYTES);
            for ((byte, first), second) in bytes.iter().zip(first).zip(second) {
                *sum += i32::from(byte & 0x0F) * i32::from(*first) + i32::from(byte >> 4) * i32::from(*second);
            }
        }
    }
}

#[inline(always)]
pub(super) fn highest_scores(dots: &[i32], scalars: &Scalars<'_>, terms: &ScoreTerms, highest: &mut [f32]) {
    let rows = dots.iter().zip(scalars.steps).zip(scalars.errors).zip(scalars.utilities);
    for ((((dot, step), error), utility), highest) in rows.zip(highest) {
        *highest = terms.highest_score(terms.similarity_of(*dot, *step), *utility, *error);
    }
}

#[inline(always)]
pub(super) fn restore(vector: &VectorView<'_>, floats: &mut [f32]) {
    let VectorView { sketch, detail, fine, step } = *vector;
    let mut planes = sketch.as_chunks().0.iter().zip(detail.as_chunks().0);
    let (fine, fine_rest) = fine.as_chunks();
    let (floats, floats_rest) = floats.as_chunks_mut();
    for ((fine, floats), planes) in fine.iter().zip(floats).zip(&mut planes) {
        restore_group(planes, fine, step, floats);
    }
    if let Some(planes) = planes.next() {
        let (mut padded, mut restored) = ([0; GROUP], [0.0; GROUP]);
        padded.iter_mut().zip(fine_rest).for_each(|(padded, fine)| *padded = *fine);
        restore_group(planes, &padded, step, &mut restored);
        floats_rest.iter_mut().zip(&restored).for_each(|(float, restored)| *float = *restored);
    }
}

/// As many coordinates as always lie together: a length that the compiler knows.
#[inline(always)]
fn restore_group(
    (sketch, detail): (&[u8; GROUP_BYTES], &[u8; GROUP_BYTES]),
    fine: &[i8; GROUP],
    step: f32,
    floats: &mut [f32; GROUP],
) {
    let mut coarse = [0; GROUP];
    let (first, second) = coarse.split_at_mut(GROUP_BYTES);
    for ((sketch, detail), (first, second)) in sketch.iter().zip(detail).zip(first.iter_mut().zip(second)) {
        (*first, *second) = joined(*sketch, *detail);
    }
    for ((coarse, fine), float) in coarse.iter().zip(fine).zip(floats) {
        // 16 bits, which a float holds exactly.
        *float = ((i32::from(*coarse) - 128) * COARSE + i32::from(*fine)) as f32 * step;
    }
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    reflect_core::cosine(left, right)
}

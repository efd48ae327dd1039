//! AVX2, and AVX-512 with VNNI.
#![expect(
    unsafe_code,
    reason = "wide registers are reached through unsafe intrinsics only; each use says why it is sound"
)]

use std::arch::x86_64::*;

use super::{Kernels, LANES, Scalars, ScoreTerms, plain};
use crate::index::task::TaskPlanes;

/// Those of our tables that this processor can run, best first.
pub(super) fn available() -> Vec<&'static Kernels> {
    let mut available = Vec::new();
    if !is_x86_feature_detected!("avx2") {
        return available;
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vnni")
    {
        available.push(&AVX512);
    }
    available.push(&AVX2);
    available
}

static AVX512: Kernels = Kernels {
    name: "avx512-vnni",
    // SAFETY: `available` names this table only where the processor has these features.
    dots: |rows, task, dots| unsafe { dots_avx512(rows, task, dots) },
    prefetch: AVX2.prefetch,
    highest_scores: AVX2.highest_scores,
    // SAFETY: as above.
    restore: |coarse, fine, step, floats| unsafe { restore_avx512(coarse, fine, step, floats) },
    // SAFETY: as above.
    cosine: |left, right| unsafe { cosine_avx512(left, right) },
};

static AVX2: Kernels = Kernels {
    name: "avx2",
    // SAFETY: `available` names this table only where the processor has AVX2; the same holds for the three below.
    dots: |rows, task, dots| unsafe { dots_avx2(rows, task, dots) },
    prefetch: |bytes| prefetch(bytes.get(..AHEAD).unwrap_or(bytes)),
    // SAFETY: as above.
    highest_scores: |dots, scalars, terms, highest| unsafe { highest_scores_avx2(dots, scalars, terms, highest) },
    // SAFETY: as above.
    restore: |coarse, fine, step, floats| unsafe { restore_avx2(coarse, fine, step, floats) },
    // SAFETY: as above.
    cosine: |left, right| unsafe { cosine_avx2(left, right) },
};

/// How far ahead of the row at hand memory is asked for. The processor does that by itself, but not across pages.
const AHEAD: usize = 8_192;

/// Asks for memory that is read soon.
fn prefetch(bytes: &[u8]) {
    for line in bytes.chunks(LANES) {
        // SAFETY: asking for a line of memory reads nothing, and it is part of a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
}

/// How many rows are worked on side by side, so that one sum need not wait for the other.
const GROUP: usize = 4;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dots_avx512(rows: &[u8], task: &TaskPlanes, dots: &mut [i32]) {
    let width = task.wide.len();
    let mut groups = rows.chunks_exact(width * GROUP);
    let mut ahead = rows.get(AHEAD..).unwrap_or_default().chunks(width * GROUP);
    let (dot_groups, dot_rest) = dots.as_chunks_mut::<GROUP>();
    for (group, dots) in groups.by_ref().zip(dot_groups) {
        prefetch(ahead.next().unwrap_or_default());
        let (first, rest) = group.split_at(width);
        let (second, rest) = rest.split_at(width);
        let (third, fourth) = rest.split_at(width);
        *dots = sums_avx512([first, second, third, fourth], task);
    }
    for (row, dot) in groups.remainder().chunks_exact(width).zip(dot_rest) {
        [*dot] = sums_avx512([row], task);
    }
}

/// VNNI multiplies unsigned by signed bytes: rows are kept with 128 added, and the task's 16 bits come in two planes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sums_avx512<const ROWS: usize>(rows: [&[u8]; ROWS], task: &TaskPlanes) -> [i32; ROWS] {
    let mut high_sums = [_mm512_setzero_si512(); ROWS];
    let mut low_sums = [_mm512_setzero_si512(); ROWS];
    let rows = rows.map(|row| row.as_chunks::<LANES>().0);
    let planes = task.high.as_chunks::<LANES>().0.iter().zip(task.low.as_chunks::<LANES>().0);
    for (place, (high, low)) in planes.enumerate() {
        // SAFETY: both are references to 64 bytes, and the loads need no alignment.
        let (high, low) =
            unsafe { (_mm512_loadu_si512(high.as_ptr().cast()), _mm512_loadu_si512(low.as_ptr().cast())) };
        for ((row, high_sum), low_sum) in rows.iter().zip(&mut high_sums).zip(&mut low_sums) {
            let Some(values) = row.get(place) else { continue };
            // SAFETY: as above.
            let values = unsafe { _mm512_loadu_si512(values.as_ptr().cast()) };
            *high_sum = _mm512_dpbusd_epi32(*high_sum, values, high);
            *low_sum = _mm512_dpbusd_epi32(*low_sum, values, low);
        }
    }
    let mut sums = [0; ROWS];
    for ((sum, high), low) in sums.iter_mut().zip(high_sums).zip(low_sums) {
        let both = _mm512_add_epi32(_mm512_slli_epi32::<8>(high), low);
        *sum = _mm512_reduce_add_epi32(both).wrapping_sub(task.bias);
    }
    sums
}

#[target_feature(enable = "avx2")]
fn dots_avx2(rows: &[u8], task: &TaskPlanes, dots: &mut [i32]) {
    let width = task.wide.len();
    let mut groups = rows.chunks_exact(width * GROUP);
    let mut ahead = rows.get(AHEAD..).unwrap_or_default().chunks(width * GROUP);
    let (dot_groups, dot_rest) = dots.as_chunks_mut::<GROUP>();
    for (group, dots) in groups.by_ref().zip(dot_groups) {
        prefetch(ahead.next().unwrap_or_default());
        let (first, rest) = group.split_at(width);
        let (second, rest) = rest.split_at(width);
        let (third, fourth) = rest.split_at(width);
        *dots = sums_avx2([first, second, third, fourth], task);
    }
    for (row, dot) in groups.remainder().chunks_exact(width).zip(dot_rest) {
        [*dot] = sums_avx2([row], task);
    }
}

/// Bytes are widened and multiplied with the task's 16 bits: the byte products of AVX2 would saturate.
#[inline]
#[target_feature(enable = "avx2")]
fn sums_avx2<const ROWS: usize>(rows: [&[u8]; ROWS], task: &TaskPlanes) -> [i32; ROWS] {
    let mut sums = [_mm256_setzero_si256(); ROWS];
    let rows = rows.map(|row| row.as_chunks::<16>().0);
    for (place, task) in task.wide.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: a reference to 16 values of two bytes, and the load needs no alignment.
        let task = unsafe { _mm256_loadu_si256(task.as_ptr().cast()) };
        for (row, sum) in rows.iter().zip(&mut sums) {
            let Some(values) = row.get(place) else { continue };
            // SAFETY: a reference to 16 bytes, and the load needs no alignment.
            let values = _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(values.as_ptr().cast()) });
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(values, task));
        }
    }
    let mut totals = [0; ROWS];
    for (total, sum) in totals.iter_mut().zip(sums) {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
        *total = _mm_cvtsi128_si32(one).wrapping_sub(task.bias);
    }
    totals
}

#[target_feature(enable = "avx2")]
fn highest_scores_avx2(dots: &[i32], scalars: &Scalars<'_>, terms: &ScoreTerms, highest: &mut [f32]) {
    plain::highest_scores(dots, scalars, terms, highest);
}

#[target_feature(enable = "avx2")]
fn restore_avx2(coarse: &[u8], fine: &[i16], step: f32, floats: &mut [f32]) {
    plain::restore(coarse, fine, step, floats);
}

/// The thirty-two sums of the plain cosine in four registers, added up in the same order.
#[target_feature(enable = "avx2")]
fn cosine_avx2(left: &[f32], right: &[f32]) -> f64 {
    let (left_blocks, left_rest) = left.as_chunks::<32>();
    let (right_blocks, right_rest) = right.as_chunks::<32>();
    let mut sums = [_mm256_setzero_ps(); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let eights = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
        for (sum, (left, right)) in sums.iter_mut().zip(eights) {
            // SAFETY: both are references to eight floats, and the loads need no alignment.
            let (left, right) = unsafe { (_mm256_loadu_ps(left.as_ptr()), _mm256_loadu_ps(right.as_ptr())) };
            *sum = _mm256_add_ps(*sum, _mm256_mul_ps(left, right));
        }
    }
    let [first, second, third, fourth] = sums;
    let eight = _mm256_add_ps(_mm256_add_ps(first, third), _mm256_add_ps(second, fourth));
    cosine_of(eight, left_rest, right_rest)
}

/// The same in two registers.
#[target_feature(enable = "avx512f,avx512dq")]
fn cosine_avx512(left: &[f32], right: &[f32]) -> f64 {
    let (left_blocks, left_rest) = left.as_chunks::<32>();
    let (right_blocks, right_rest) = right.as_chunks::<32>();
    let mut sums = [_mm512_setzero_ps(); 2];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let sixteens = left.as_chunks::<16>().0.iter().zip(right.as_chunks::<16>().0);
        for (sum, (left, right)) in sums.iter_mut().zip(sixteens) {
            // SAFETY: both are references to sixteen floats, and the loads need no alignment.
            let (left, right) = unsafe { (_mm512_loadu_ps(left.as_ptr()), _mm512_loadu_ps(right.as_ptr())) };
            *sum = _mm512_add_ps(*sum, _mm512_mul_ps(left, right));
        }
    }
    let [first, second] = sums;
    let sixteen = _mm512_add_ps(first, second);
    let eight = _mm256_add_ps(_mm512_castps512_ps256(sixteen), _mm512_extractf32x8_ps::<1>(sixteen));
    cosine_of(eight, left_rest, right_rest)
}

/// Adds eight sums up in halves, and what did not fill a register.
#[inline]
#[target_feature(enable = "avx2")]
fn cosine_of(eight: __m256, left_rest: &[f32], right_rest: &[f32]) -> f64 {
    let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    let one = _mm_add_ss(two, _mm_shuffle_ps::<1>(two, two));
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    f64::from(_mm_cvtss_f32(one) + rest).clamp(-1.0, 1.0)
}

#[target_feature(enable = "avx512f,avx512bw")]
fn restore_avx512(coarse: &[u8], fine: &[i16], step: f32, floats: &mut [f32]) {
    plain::restore(coarse, fine, step, floats);
}

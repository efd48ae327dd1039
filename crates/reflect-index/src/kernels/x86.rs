//! AVX2, and AVX-512 with VNNI.
#![expect(
    unsafe_code,
    reason = "wide registers are reached through unsafe intrinsics only; each use says why it is sound"
)]

use std::arch::x86_64::*;

use super::{Kernels, Scalars, ScoreTerms, plain};
use crate::{
    encoding::VectorView,
    nibbles::{GROUP, GROUP_BYTES},
};

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
    sums: |rows, task, sums| unsafe { sums_avx512(rows, task, sums) },
    prefetch: AVX2.prefetch,
    highest_scores: AVX2.highest_scores,
    // SAFETY: as above.
    restore: |vector, floats| unsafe { restore_avx512(vector, floats) },
    // SAFETY: as above.
    cosine: |left, right| unsafe { cosine_avx512(left, right) },
};

static AVX2: Kernels = Kernels {
    name: "avx2",
    // SAFETY: `available` names this table only where the processor has AVX2; the same holds for the three below.
    sums: |rows, task, sums| unsafe { sums_avx2(rows, task, sums) },
    prefetch,
    // SAFETY: as above.
    highest_scores: |dots, scalars, terms, highest| unsafe { highest_scores_avx2(dots, scalars, terms, highest) },
    // SAFETY: as above.
    restore: |vector, floats| unsafe { restore_avx2(vector, floats) },
    // SAFETY: as above.
    cosine: |left, right| unsafe { cosine_avx2(left, right) },
};

/// How far ahead of the row at hand memory is asked for. The processor does that by itself, but not across pages.
const AHEAD: usize = 8_192;

const CACHE_LINE: usize = 64;

/// Asks for memory that is read soon.
fn prefetch(bytes: &[u8]) {
    bytes.chunks(CACHE_LINE).for_each(|line| prefetch_line(line.as_ptr()));
}

#[inline]
fn prefetch_line(line: *const u8) {
    // SAFETY: asking for a line of memory reads nothing, wherever it lies.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

/// How many rows are worked on side by side, so that one sum need not wait for the other.
const ROWS_AT_ONCE: usize = 4;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sums_avx512(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    let task = task.as_chunks::<GROUP>().0;
    let width = (task.len() * GROUP_BYTES).max(1);
    let mut fours = rows.chunks_exact(width * ROWS_AT_ONCE);
    let (four_sums, rest) = sums.as_chunks_mut::<ROWS_AT_ONCE>();
    for (four, sums) in fours.by_ref().zip(four_sums) {
        let [a, b, c, d] = products_avx512::<ROWS_AT_ONCE>(four, task);
        // Four sums of sixteen parts each become four of four, side by side, then one register of four.
        let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        let parts = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
        let halves = _mm256_add_epi32(_mm512_castsi512_si256(parts), _mm512_extracti64x4_epi64::<1>(parts));
        let whole = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        // SAFETY: four sums are sixteen bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), whole) };
    }
    for (row, sum) in fours.remainder().chunks_exact(width).zip(rest) {
        let [parts] = products_avx512::<1>(row, task);
        *sum = _mm512_reduce_add_epi32(parts);
    }
}

/// VNNI multiplies unsigned by signed bytes and adds four products up.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products_avx512<const ROWS: usize>(rows: &[u8], task: &[[i8; GROUP]]) -> [__m512i; ROWS] {
    let half = _mm512_set1_epi8(0x0F);
    let mut sums = [_mm512_setzero_si512(); ROWS];
    let width = task.len() * GROUP_BYTES;
    assert!(rows.len() >= ROWS * width);
    for (group, task) in task.iter().enumerate() {
        let (first, second) = task.split_at(GROUP_BYTES);
        // SAFETY: both are slices of 64 bytes, and the loads need no alignment.
        let (first, second) =
            unsafe { (_mm512_loadu_si512(first.as_ptr().cast()), _mm512_loadu_si512(second.as_ptr().cast())) };
        for (row, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the rows are so long, by the assertion above.
            let bytes = unsafe { rows.as_ptr().add(row * width + group * GROUP_BYTES) };
            if ROWS > 1 {
                prefetch_line(bytes.wrapping_add(AHEAD));
            }
            // SAFETY: 64 bytes from there are still in the row, and the load needs no alignment.
            let bytes = unsafe { _mm512_loadu_si512(bytes.cast()) };
            let (lower, upper) = (_mm512_and_si512(bytes, half), _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), half));
            *sum = _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(*sum, lower, first), upper, second);
        }
    }
    sums
}

#[target_feature(enable = "avx2")]
fn sums_avx2(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    let task = task.as_chunks::<GROUP>().0;
    let width = (task.len() * GROUP_BYTES).max(1);
    let mut fours = rows.chunks_exact(width * ROWS_AT_ONCE);
    let (four_sums, rest) = sums.as_chunks_mut::<ROWS_AT_ONCE>();
    for (four, sums) in fours.by_ref().zip(four_sums) {
        let [a, b, c, d] = products_avx2::<ROWS_AT_ONCE>(four, task);
        let parts = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let whole = _mm_add_epi32(_mm256_castsi256_si128(parts), _mm256_extracti128_si256::<1>(parts));
        // SAFETY: four sums are sixteen bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), whole) };
    }
    for (row, sum) in fours.remainder().chunks_exact(width).zip(rest) {
        let [parts] = products_avx2::<1>(row, task);
        let four = _mm_add_epi32(_mm256_castsi256_si128(parts), _mm256_extracti128_si256::<1>(parts));
        let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        *sum = _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)));
    }
}

/// Two products of 15 · 128 at most are added up in 16 bits, then two such sums: far from what 16 bits hold.
#[inline]
#[target_feature(enable = "avx2")]
fn products_avx2<const ROWS: usize>(rows: &[u8], task: &[[i8; GROUP]]) -> [__m256i; ROWS] {
    const HALF: usize = GROUP_BYTES / 2;
    let (half, ones) = (_mm256_set1_epi8(0x0F), _mm256_set1_epi16(1));
    let mut sums = [_mm256_setzero_si256(); ROWS];
    let width = task.len() * GROUP_BYTES;
    assert!(rows.len() >= ROWS * width);
    for (group, task) in task.iter().enumerate() {
        let (first, second) = task.split_at(GROUP_BYTES);
        let parts = first.as_chunks::<HALF>().0.iter().zip(second.as_chunks::<HALF>().0);
        for (part, (first, second)) in parts.enumerate() {
            // SAFETY: both are references to 32 bytes, and the loads need no alignment.
            let (first, second) =
                unsafe { (_mm256_loadu_si256(first.as_ptr().cast()), _mm256_loadu_si256(second.as_ptr().cast())) };
            for (row, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the rows are so long, by the assertion above.
                let bytes = unsafe { rows.as_ptr().add(row * width + group * GROUP_BYTES + part * HALF) };
                if ROWS > 1 && part == 0 {
                    prefetch_line(bytes.wrapping_add(AHEAD));
                }
                // SAFETY: 32 bytes from there are still in the row, and the load needs no alignment.
                let bytes = unsafe { _mm256_loadu_si256(bytes.cast()) };
                let (lower, upper) =
                    (_mm256_and_si256(bytes, half), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half));
                let pairs = _mm256_add_epi16(_mm256_maddubs_epi16(lower, first), _mm256_maddubs_epi16(upper, second));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    sums
}

#[target_feature(enable = "avx2")]
fn highest_scores_avx2(dots: &[i32], scalars: &Scalars<'_>, terms: &ScoreTerms, highest: &mut [f32]) {
    plain::highest_scores(dots, scalars, terms, highest);
}

#[target_feature(enable = "avx2")]
fn restore_avx2(vector: &VectorView<'_>, floats: &mut [f32]) {
    plain::restore(vector, floats);
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
fn restore_avx512(vector: &VectorView<'_>, floats: &mut [f32]) {
    plain::restore(vector, floats);
}

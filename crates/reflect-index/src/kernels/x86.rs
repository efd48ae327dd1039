//! AVX2 and AVX-512, each with and without its dot product of bytes.
#![expect(
    unsafe_code,
    reason = "wide registers are reached through unsafe intrinsics only; each use says why it is sound"
)]

use std::arch::x86_64::*;

use reflect_core::Kernel;

use super::{Kernels, Scalars, ScoreTerms, plain};
use crate::{
    encoding::VectorView,
    nibbles::{GROUP, GROUP_BYTES},
};

/// The table of a kernel that this processor can run.
pub(super) fn table(kernel: Kernel) -> Option<&'static Kernels> {
    let table = match kernel {
        Kernel::Avx512Vnni => &AVX512_VNNI,
        Kernel::AvxVnni => &AVX_VNNI,
        Kernel::Avx512 => &AVX512,
        Kernel::Avx2 => &AVX2,
        _ => return None,
    };
    kernel.is_available().then_some(table)
}

static AVX512_VNNI: Kernels = Kernels {
    // SAFETY: `table` hands a table out only where the processor has its features; the same holds for all below.
    sums: |rows, task, sums| unsafe { sums_avx512_vnni(rows, task, sums) },
    ..AVX512
};

static AVX512: Kernels = Kernels {
    // SAFETY: as above.
    sums: |rows, task, sums| unsafe { sums_avx512(rows, task, sums) },
    // SAFETY: as above.
    restore: |vector, floats| unsafe { restore_avx512(vector, floats) },
    // SAFETY: as above.
    cosine: |left, right| unsafe { cosine_avx512(left, right) },
    ..AVX2
};

static AVX_VNNI: Kernels = Kernels {
    // SAFETY: as above.
    sums: |rows, task, sums| unsafe { sums_avx_vnni(rows, task, sums) },
    ..AVX2
};

static AVX2: Kernels = Kernels {
    // SAFETY: as above.
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
fn prefetch(start: *const u8, bytes: usize) {
    (0..bytes).step_by(CACHE_LINE).for_each(|byte| prefetch_line(start.wrapping_add(byte)));
}

#[inline]
fn prefetch_line(line: *const u8) {
    // SAFETY: asking for a line of memory reads nothing, wherever it lies.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

/// How many rows are worked on side by side, so that one sum need not wait for the other.
const ROWS_AT_ONCE: usize = 4;

/// Adds the products of registers of four bits with those of a task, in lanes of 32 bits in the end.
///
/// # Safety
///
/// The processor has the instructions.
trait Add {
    /// How many groups of coordinates may be added up before they are widened.
    const GROUPS: usize;

    unsafe fn add256(sum: __m256i, row: [__m256i; 2], task: [__m256i; 2]) -> __m256i;
    unsafe fn add512(sum: __m512i, row: [__m512i; 2], task: [__m512i; 2]) -> __m512i;
    unsafe fn widen256(sum: __m256i) -> __m256i;
    unsafe fn widen512(sum: __m512i) -> __m512i;
}

/// Multiplies unsigned by signed bytes and adds four products up.
struct DotProduct;

/// Two products of at most 15 · 128 are added up in 16 bits, and a group adds two such sums to each. Four groups fit.
struct Pairs;

impl Add for DotProduct {
    const GROUPS: usize = usize::MAX;

    #[inline(always)]
    unsafe fn add256(sum: __m256i, [lower, upper]: [__m256i; 2], [first, second]: [__m256i; 2]) -> __m256i {
        // SAFETY: as the caller promised; the same holds for all below.
        unsafe { _mm256_dpbusd_avx_epi32(_mm256_dpbusd_avx_epi32(sum, lower, first), upper, second) }
    }

    #[inline(always)]
    unsafe fn add512(sum: __m512i, [lower, upper]: [__m512i; 2], [first, second]: [__m512i; 2]) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(sum, lower, first), upper, second) }
    }

    #[inline(always)]
    unsafe fn widen256(sum: __m256i) -> __m256i {
        sum
    }

    #[inline(always)]
    unsafe fn widen512(sum: __m512i) -> __m512i {
        sum
    }
}

impl Add for Pairs {
    const GROUPS: usize = i16::MAX as usize / (2 * 2 * 15 * 128);

    #[inline(always)]
    unsafe fn add256(sum: __m256i, [lower, upper]: [__m256i; 2], [first, second]: [__m256i; 2]) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(lower, first));
            _mm256_add_epi16(sum, _mm256_maddubs_epi16(upper, second))
        }
    }

    #[inline(always)]
    unsafe fn add512(sum: __m512i, [lower, upper]: [__m512i; 2], [first, second]: [__m512i; 2]) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let sum = _mm512_add_epi16(sum, _mm512_maddubs_epi16(lower, first));
            _mm512_add_epi16(sum, _mm512_maddubs_epi16(upper, second))
        }
    }

    #[inline(always)]
    unsafe fn widen256(sum: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_madd_epi16(sum, _mm256_set1_epi16(1)) }
    }

    #[inline(always)]
    unsafe fn widen512(sum: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_madd_epi16(sum, _mm512_set1_epi16(1)) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn sums_avx512_vnni(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    // SAFETY: this is compiled for the instructions.
    unsafe { sums512::<DotProduct>(rows, task, sums) }
}

#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn sums_avx512(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    // SAFETY: this is compiled for the instructions.
    unsafe { sums512::<Pairs>(rows, task, sums) }
}

#[target_feature(enable = "avx2,avxvnni")]
unsafe fn sums_avx_vnni(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    // SAFETY: this is compiled for the instructions.
    unsafe { sums256::<DotProduct>(rows, task, sums) }
}

#[target_feature(enable = "avx2")]
unsafe fn sums_avx2(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    // SAFETY: this is compiled for the instructions.
    unsafe { sums256::<Pairs>(rows, task, sums) }
}

/// # Safety
///
/// The processor has AVX-512 BW and the instructions of `A`.
#[inline(always)]
unsafe fn sums512<A: Add>(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    let task = task.as_chunks::<GROUP>().0;
    let width = (task.len() * GROUP_BYTES).max(1);
    let mut fours = rows.chunks_exact(width * ROWS_AT_ONCE);
    let (four_sums, rest) = sums.as_chunks_mut::<ROWS_AT_ONCE>();
    for (four, sums) in fours.by_ref().zip(four_sums) {
        // SAFETY: as the caller promised; four sums are sixteen bytes, and the store needs no alignment.
        unsafe {
            let [a, b, c, d] = products512::<A, ROWS_AT_ONCE>(four, task);
            // Four sums of sixteen parts each become four of four, side by side, then one register of four.
            let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            let parts = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let halves = _mm256_add_epi32(_mm512_castsi512_si256(parts), _mm512_extracti64x4_epi64::<1>(parts));
            let whole = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
            _mm_storeu_si128(sums.as_mut_ptr().cast(), whole);
        }
    }
    for (row, sum) in fours.remainder().chunks_exact(width).zip(rest) {
        // SAFETY: as the caller promised.
        *sum = unsafe {
            let [parts] = products512::<A, 1>(row, task);
            _mm512_reduce_add_epi32(parts)
        };
    }
}

/// # Safety
///
/// As for [`sums512`].
#[inline(always)]
unsafe fn products512<A: Add, const ROWS: usize>(rows: &[u8], task: &[[i8; GROUP]]) -> [__m512i; ROWS] {
    let width = task.len() * GROUP_BYTES;
    assert!(rows.len() >= ROWS * width);
    // SAFETY: as the caller promised. The rows are so long, by the assertion above; half a task's group has 64 bytes, and the loads need no
    // alignment.
    unsafe {
        let half = _mm512_set1_epi8(0x0F);
        let mut sums = [_mm512_setzero_si512(); ROWS];
        let mut rows = rows.as_ptr();
        for groups in task.chunks(A::GROUPS) {
            let mut narrow = [_mm512_setzero_si512(); ROWS];
            for task in groups {
                let task = [0, GROUP_BYTES].map(|start| _mm512_loadu_si512(task.as_ptr().add(start).cast()));
                for (row, sum) in narrow.iter_mut().enumerate() {
                    let bytes = rows.add(row * width);
                    if ROWS > 1 {
                        prefetch_line(bytes.wrapping_add(AHEAD));
                    }
                    let bytes = _mm512_loadu_si512(bytes.cast());
                    let row = [_mm512_and_si512(bytes, half), _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), half)];
                    *sum = A::add512(*sum, row, task);
                }
                rows = rows.add(GROUP_BYTES);
            }
            for (sum, narrow) in sums.iter_mut().zip(narrow) {
                *sum = _mm512_add_epi32(*sum, A::widen512(narrow));
            }
        }
        sums
    }
}

/// # Safety
///
/// The processor has AVX2 and the instructions of `A`.
#[inline(always)]
unsafe fn sums256<A: Add>(rows: &[u8], task: &[i8], sums: &mut [i32]) {
    let task = task.as_chunks::<GROUP>().0;
    let width = (task.len() * GROUP_BYTES).max(1);
    let mut fours = rows.chunks_exact(width * ROWS_AT_ONCE);
    let (four_sums, rest) = sums.as_chunks_mut::<ROWS_AT_ONCE>();
    for (four, sums) in fours.by_ref().zip(four_sums) {
        // SAFETY: as the caller promised; four sums are sixteen bytes, and the store needs no alignment.
        unsafe {
            let [a, b, c, d] = products256::<A, ROWS_AT_ONCE>(four, task);
            let parts = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
            let whole = _mm_add_epi32(_mm256_castsi256_si128(parts), _mm256_extracti128_si256::<1>(parts));
            _mm_storeu_si128(sums.as_mut_ptr().cast(), whole);
        }
    }
    for (row, sum) in fours.remainder().chunks_exact(width).zip(rest) {
        // SAFETY: as the caller promised.
        *sum = unsafe {
            let [parts] = products256::<A, 1>(row, task);
            let four = _mm_add_epi32(_mm256_castsi256_si128(parts), _mm256_extracti128_si256::<1>(parts));
            let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
        };
    }
}

/// # Safety
///
/// As for [`sums256`].
#[inline(always)]
unsafe fn products256<A: Add, const ROWS: usize>(rows: &[u8], task: &[[i8; GROUP]]) -> [__m256i; ROWS] {
    const HALF: usize = GROUP_BYTES / 2;
    let width = task.len() * GROUP_BYTES;
    assert!(rows.len() >= ROWS * width);
    // SAFETY: as the caller promised. The rows are so long, by the assertion above; half a task's group has 64 bytes, and the loads need no
    // alignment.
    unsafe {
        let half = _mm256_set1_epi8(0x0F);
        let mut sums = [_mm256_setzero_si256(); ROWS];
        let mut rows = rows.as_ptr();
        // Half a register takes two steps for a group.
        for groups in task.chunks((A::GROUPS / 2).max(1)) {
            let mut narrow = [_mm256_setzero_si256(); ROWS];
            for task in groups {
                for part in [0, HALF] {
                    let task =
                        [part, GROUP_BYTES + part].map(|start| _mm256_loadu_si256(task.as_ptr().add(start).cast()));
                    for (row, sum) in narrow.iter_mut().enumerate() {
                        let bytes = rows.add(row * width + part);
                        if ROWS > 1 && part == 0 {
                            prefetch_line(bytes.wrapping_add(AHEAD));
                        }
                        let bytes = _mm256_loadu_si256(bytes.cast());
                        let row =
                            [_mm256_and_si256(bytes, half), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half)];
                        *sum = A::add256(*sum, row, task);
                    }
                }
                rows = rows.add(GROUP_BYTES);
            }
            for (sum, narrow) in sums.iter_mut().zip(narrow) {
                *sum = _mm256_add_epi32(*sum, A::widen256(narrow));
            }
        }
        sums
    }
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

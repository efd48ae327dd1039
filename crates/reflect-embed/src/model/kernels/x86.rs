//! The kernels of x86-64 with a dot product of bytes.

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::arch::x86_64::*;

use super::tile::{Finish, Instructions, Product};
use crate::model::linear::Block;

/// Defines the entry of a kernel: the shared loop, compiled for its instructions. Rows times blocks times the registers of a block are its
/// sums; they leave room for one block of weights and one step of inputs.
macro_rules! kernel {
    ($name:ident, $instructions:ty, $features:literal, $rows:literal x $blocks:expr) => {
        /// # Safety
        ///
        /// The machine has the instructions that this is compiled for.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(product: Product<'_>, output: &mut [f32]) {
            // SAFETY: as the caller promised.
            unsafe { product.multiply::<$instructions, $rows, { $blocks }>(output) }
        }
    };
}

kernel!(avx512_vnni, Wide, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", 6 x super::WIDE_BLOCKS);
kernel!(avx_vnni, Half, "avx2,avxvnni", 6 x 1);

/// 512 bits.
struct Wide;

/// 256 bits.
struct Half;

impl Instructions for Wide {
    type Sums = __m512i;
    type Weights = __m512i;
    type Inputs = __m512i;

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn weights(block: *const Block) -> __m512i {
        // SAFETY: blocks are aligned to their 64 bytes.
        unsafe { _mm512_load_si512(block.cast()) }
    }

    #[inline(always)]
    unsafe fn inputs(step: *const u8) -> __m512i {
        // SAFETY: a step has four bytes.
        unsafe { _mm512_set1_epi32(step.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_dpbusd_epi32(sums, inputs, weights) }
    }

    #[inline(always)]
    unsafe fn finish(sums: __m512i, to: &Finish) {
        // SAFETY: as above.
        unsafe { finish512(sums, to) }
    }
}

impl Instructions for Half {
    type Sums = [__m256i; 2];
    type Weights = [__m256i; 2];
    type Inputs = __m256i;

    #[inline(always)]
    unsafe fn zero() -> [__m256i; 2] {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    unsafe fn weights(block: *const Block) -> [__m256i; 2] {
        let block = block.cast::<__m256i>();
        // SAFETY: blocks have 64 bytes and are aligned to them.
        unsafe { [_mm256_load_si256(block), _mm256_load_si256(block.add(1))] }
    }

    #[inline(always)]
    unsafe fn inputs(step: *const u8) -> __m256i {
        // SAFETY: a step has four bytes.
        unsafe { _mm256_set1_epi32(step.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn add([a, b]: [__m256i; 2], inputs: __m256i, [left, right]: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: as above.
        unsafe { [_mm256_dpbusd_avx_epi32(a, inputs, left), _mm256_dpbusd_avx_epi32(b, inputs, right)] }
    }

    #[inline(always)]
    unsafe fn finish([a, b]: [__m256i; 2], to: &Finish) {
        // SAFETY: all pointers lead to sixteen values, of which the second half has the last eight.
        unsafe {
            finish256(a, to);
            finish256(b, &to.after(8));
        }
    }
}

/// The sums of a register into floats.
#[inline(always)]
pub(super) unsafe fn finish512(sums: __m512i, to: &Finish) {
    // SAFETY: as the caller promised; all pointers lead to sixteen values.
    unsafe {
        let shift = _mm512_mullo_epi32(_mm512_set1_epi32(to.scaling.zero), _mm512_loadu_si512(to.weight_sums.cast()));
        scale512(_mm512_sub_epi32(sums, shift), to);
    }
}

/// The same for sums whose inputs were counted from zero.
#[inline(always)]
pub(super) unsafe fn scale512(sums: __m512i, to: &Finish) {
    // SAFETY: as above.
    unsafe {
        let sums = _mm512_cvtepi32_ps(sums);
        let scales = _mm512_mul_ps(_mm512_set1_ps(to.scaling.scale), _mm512_loadu_ps(to.scales));
        _mm512_storeu_ps(to.output, _mm512_add_ps(_mm512_mul_ps(sums, scales), _mm512_loadu_ps(to.biases)));
    }
}

/// The same for the first eight values.
#[inline(always)]
pub(super) unsafe fn finish256(sums: __m256i, to: &Finish) {
    // SAFETY: as the caller promised; all pointers lead to eight values or more.
    unsafe {
        let shift = _mm256_mullo_epi32(_mm256_set1_epi32(to.scaling.zero), _mm256_loadu_si256(to.weight_sums.cast()));
        scale256(_mm256_sub_epi32(sums, shift), to);
    }
}

/// The same for sums whose inputs were counted from zero.
#[inline(always)]
pub(super) unsafe fn scale256(sums: __m256i, to: &Finish) {
    // SAFETY: as above.
    unsafe {
        let sums = _mm256_cvtepi32_ps(sums);
        let scales = _mm256_mul_ps(_mm256_set1_ps(to.scaling.scale), _mm256_loadu_ps(to.scales));
        _mm256_storeu_ps(to.output, _mm256_add_ps(_mm256_mul_ps(sums, scales), _mm256_loadu_ps(to.biases)));
    }
}

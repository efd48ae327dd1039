//! Registers of whole numbers of x86-64, one interface for both widths.

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::arch::x86_64::*;

use super::{
    tile::Finish,
    x86::{scale256, scale512},
};

/// A register of whole numbers.
///
/// # Safety
///
/// All of it may only be called where the machine has the register's instructions.
pub(super) trait Register: Copy {
    /// Sums of 32 bits that it holds.
    const SUMS: usize;

    unsafe fn load(from: *const u8) -> Self;
    /// The same in every lane of 32 bits.
    unsafe fn repeat(value: i32) -> Self;
    /// Unsigned bytes times signed ones, added up in pairs, in 16 bits.
    unsafe fn products(inputs: Self, weights: Self) -> Self;
    unsafe fn add_words(self, words: Self) -> Self;
    unsafe fn sub_words(self, words: Self) -> Self;
    /// Words times words, modulo 65,536.
    unsafe fn multiply_words(self, words: Self) -> Self;
    /// `self`, in lanes of 32 bits, and `words` times `factors`, added up in pairs.
    unsafe fn add_pairs(self, words: Self, factors: Self) -> Self;
    unsafe fn finish(self, to: &Finish);
}

impl Register for __m512i {
    const SUMS: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { _mm512_load_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn repeat(value: i32) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn products(inputs: Self, weights: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_maddubs_epi16(inputs, weights) }
    }

    #[inline(always)]
    unsafe fn add_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_add_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn sub_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_sub_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn multiply_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mullo_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn add_pairs(self, words: Self, factors: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(self, _mm512_madd_epi16(words, factors)) }
    }

    #[inline(always)]
    unsafe fn finish(self, to: &Finish) {
        // SAFETY: as above.
        unsafe { scale512(self, to) }
    }
}

impl Register for __m256i {
    const SUMS: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { _mm256_load_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn repeat(value: i32) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn products(inputs: Self, weights: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_maddubs_epi16(inputs, weights) }
    }

    #[inline(always)]
    unsafe fn add_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_add_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn sub_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_sub_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn multiply_words(self, words: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_mullo_epi16(self, words) }
    }

    #[inline(always)]
    unsafe fn add_pairs(self, words: Self, factors: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_add_epi32(self, _mm256_madd_epi16(words, factors)) }
    }

    #[inline(always)]
    unsafe fn finish(self, to: &Finish) {
        // SAFETY: as above.
        unsafe { scale256(self, to) }
    }
}

//! AVX-512 and AVX2.

#![expect(unsafe_code, reason = "vector instructions; their holder is on a machine that has them")]

use std::arch::x86_64::*;

use super::{LANES, Lanes};

/// One register of 512 bits.
#[derive(Clone, Copy)]
pub(in crate::model) struct Avx512(());

/// Two registers of 256 bits.
#[derive(Clone, Copy)]
pub(in crate::model) struct Avx2(());

impl Avx512 {
    /// # Safety
    ///
    /// The machine has AVX-512 F, BW, DQ and VL.
    pub(in crate::model) unsafe fn new() -> Self {
        Self(())
    }
}

impl Avx2 {
    /// # Safety
    ///
    /// The machine has AVX2 and FMA.
    pub(in crate::model) unsafe fn new() -> Self {
        Self(())
    }
}

impl Lanes for Avx512 {
    type Floats = __m512;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        // SAFETY: the machine has AVX-512, as whoever made `self` promised. The same holds for every block below.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> __m512 {
        // SAFETY: as above; sixteen floats are 64 bytes.
        unsafe { _mm512_loadu_ps(values.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, floats: __m512, to: &mut [f32; LANES]) {
        // SAFETY: as above; sixteen floats are 64 bytes.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), floats) }
    }

    #[inline(always)]
    fn add(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_add_ps(left, right) }
    }

    #[inline(always)]
    fn sub(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_sub_ps(left, right) }
    }

    #[inline(always)]
    fn mul(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_mul_ps(left, right) }
    }

    #[inline(always)]
    fn mul_add(self, left: __m512, right: __m512, plus: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(left, right, plus) }
    }

    #[inline(always)]
    fn div(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_div_ps(left, right) }
    }

    #[inline(always)]
    fn smaller(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above. In doubt the instruction takes its second operand.
        unsafe { _mm512_min_ps(right, left) }
    }

    #[inline(always)]
    fn larger(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: as above. In doubt the instruction takes its second operand.
        unsafe { _mm512_max_ps(right, left) }
    }

    #[inline(always)]
    fn abs(self, floats: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_abs_ps(floats) }
    }

    #[inline(always)]
    fn powers(self, exponents: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe {
            let exponents = _mm512_add_epi32(_mm512_castps_si512(exponents), _mm512_set1_epi32(127));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponents))
        }
    }

    #[inline(always)]
    fn low_bytes(self, floats: __m512) -> [u8; LANES] {
        let mut bytes = [0; LANES];
        // SAFETY: as above; sixteen bytes are 128 bits.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(_mm512_castps_si512(floats))) };
        bytes
    }
}

impl Avx2 {
    /// The same with both halves.
    #[inline(always)]
    fn both([a, b]: [__m256; 2], [c, d]: [__m256; 2], combine: impl Fn(__m256, __m256) -> __m256) -> [__m256; 2] {
        [combine(a, c), combine(b, d)]
    }
}

impl Lanes for Avx2 {
    type Floats = [__m256; 2];
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn splat(self, value: f32) -> [__m256; 2] {
        // SAFETY: the machine has AVX2 and FMA, as whoever made `self` promised. The same holds for every block below.
        unsafe { [_mm256_set1_ps(value); 2] }
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> [__m256; 2] {
        // SAFETY: as above; sixteen floats are twice 32 bytes.
        unsafe { [_mm256_loadu_ps(values.as_ptr()), _mm256_loadu_ps(values.as_ptr().add(8))] }
    }

    #[inline(always)]
    fn store(self, [a, b]: [__m256; 2], to: &mut [f32; LANES]) {
        // SAFETY: as above; sixteen floats are twice 32 bytes.
        unsafe {
            _mm256_storeu_ps(to.as_mut_ptr(), a);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), b);
        }
    }

    #[inline(always)]
    fn add(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(left, right, |left, right| unsafe { _mm256_add_ps(left, right) })
    }

    #[inline(always)]
    fn sub(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(left, right, |left, right| unsafe { _mm256_sub_ps(left, right) })
    }

    #[inline(always)]
    fn mul(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(left, right, |left, right| unsafe { _mm256_mul_ps(left, right) })
    }

    #[inline(always)]
    fn mul_add(self, [a, b]: [__m256; 2], [c, d]: [__m256; 2], [e, f]: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        unsafe { [_mm256_fmadd_ps(a, c, e), _mm256_fmadd_ps(b, d, f)] }
    }

    #[inline(always)]
    fn div(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(left, right, |left, right| unsafe { _mm256_div_ps(left, right) })
    }

    #[inline(always)]
    fn smaller(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above. In doubt the instruction takes its second operand.
        Self::both(left, right, |left, right| unsafe { _mm256_min_ps(right, left) })
    }

    #[inline(always)]
    fn larger(self, left: [__m256; 2], right: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above. In doubt the instruction takes its second operand.
        Self::both(left, right, |left, right| unsafe { _mm256_max_ps(right, left) })
    }

    #[inline(always)]
    fn abs(self, floats: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(self.splat(-0.0), floats, |sign, floats| unsafe { _mm256_andnot_ps(sign, floats) })
    }

    #[inline(always)]
    fn powers(self, exponents: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        Self::both(exponents, exponents, |exponents, _| unsafe {
            let exponents = _mm256_add_epi32(_mm256_castps_si256(exponents), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponents))
        })
    }

    #[inline(always)]
    fn low_bytes(self, [a, b]: [__m256; 2]) -> [u8; LANES] {
        let mut bytes = [0; LANES];
        // SAFETY: as above; sixteen bytes are 128 bits.
        unsafe {
            let low = _mm256_set1_epi32(0xFF);
            let (a, b) = (_mm256_and_si256(_mm256_castps_si256(a), low), _mm256_and_si256(_mm256_castps_si256(b), low));
            // Packing works in halves of a register, which leaves the middle quarters the wrong way round.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(a, b));
            let packed = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed);
        }
        bytes
    }
}

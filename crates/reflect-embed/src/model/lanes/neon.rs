//! NEON: four registers of 128 bits.

#![expect(unsafe_code, reason = "vector instructions; every 64-bit ARM has these")]

use std::arch::aarch64::*;

use super::{LANES, Lanes};

#[derive(Clone, Copy)]
pub(in crate::model) struct Neon;

type Floats = [float32x4_t; 4];

/// The same with every quarter.
#[inline(always)]
fn each(left: Floats, right: Floats, combine: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Floats {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    [combine(a, e), combine(b, f), combine(c, g), combine(d, h)]
}

impl Lanes for Neon {
    type Floats = Floats;
    const REGISTERS: usize = 4;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        // SAFETY: every machine that this is compiled for has NEON. The same holds for every block below.
        unsafe { [vdupq_n_f32(value); 4] }
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Floats {
        // SAFETY: as above; each quarter has four floats.
        std::array::from_fn(|quarter| unsafe { vld1q_f32(values.as_ptr().add(4 * quarter)) })
    }

    #[inline(always)]
    fn store(self, floats: Floats, to: &mut [f32; LANES]) {
        for (quarter, floats) in to.as_chunks_mut::<4>().0.iter_mut().zip(floats) {
            // SAFETY: as above; each quarter has four floats.
            unsafe { vst1q_f32(quarter.as_mut_ptr(), floats) }
        }
    }

    #[inline(always)]
    fn add(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vaddq_f32(left, right) })
    }

    #[inline(always)]
    fn sub(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vsubq_f32(left, right) })
    }

    #[inline(always)]
    fn mul(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vmulq_f32(left, right) })
    }

    #[inline(always)]
    fn mul_add(self, left: Floats, right: Floats, plus: Floats) -> Floats {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (left, right, plus);
        // SAFETY: as above. What is added comes first.
        unsafe { [vfmaq_f32(i, a, e), vfmaq_f32(j, b, f), vfmaq_f32(k, c, g), vfmaq_f32(l, d, h)] }
    }

    #[inline(always)]
    fn div(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vdivq_f32(left, right) })
    }

    #[inline(always)]
    fn smaller(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vbslq_f32(vcltq_f32(right, left), right, left) })
    }

    #[inline(always)]
    fn larger(self, left: Floats, right: Floats) -> Floats {
        // SAFETY: as above.
        each(left, right, |left, right| unsafe { vbslq_f32(vcgtq_f32(right, left), right, left) })
    }

    #[inline(always)]
    fn abs(self, floats: Floats) -> Floats {
        // SAFETY: as above.
        floats.map(|floats| unsafe { vabsq_f32(floats) })
    }

    #[inline(always)]
    fn powers(self, exponents: Floats) -> Floats {
        // SAFETY: as above.
        exponents.map(|exponents| unsafe {
            let exponents = vaddq_u32(vreinterpretq_u32_f32(exponents), vdupq_n_u32(127));
            vreinterpretq_f32_u32(vshlq_n_u32::<23>(exponents))
        })
    }

    #[inline(always)]
    fn low_bytes(self, [a, b, c, d]: Floats) -> [u8; LANES] {
        let mut bytes = [0; LANES];
        // SAFETY: as above; sixteen bytes are 128 bits.
        unsafe {
            let words = |floats| vmovn_u32(vreinterpretq_u32_f32(floats));
            let (first, second) = (vcombine_u16(words(a), words(b)), vcombine_u16(words(c), words(d)));
            vst1q_u8(bytes.as_mut_ptr(), vcombine_u8(vmovn_u16(first), vmovn_u16(second)));
        }
        bytes
    }
}

//! Arrays, for machines without wide registers, and the measure of the others.

use super::{LANES, Lanes};

#[derive(Clone, Copy)]
pub(in crate::model) struct Plain;

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the lane is below the length of both by construction")]
fn each(left: [f32; LANES], right: [f32; LANES], combine: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|lane| combine(left[lane], right[lane]))
}

impl Lanes for Plain {
    type Floats = [f32; LANES];
    const REGISTERS: usize = 4;

    #[inline(always)]
    fn splat(self, value: f32) -> [f32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> [f32; LANES] {
        *values
    }

    #[inline(always)]
    fn store(self, floats: [f32; LANES], to: &mut [f32; LANES]) {
        *to = floats;
    }

    #[inline(always)]
    fn add(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| left + right)
    }

    #[inline(always)]
    fn sub(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| left - right)
    }

    #[inline(always)]
    fn mul(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| left * right)
    }

    #[inline(always)]
    fn div(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| left / right)
    }

    #[inline(always)]
    fn smaller(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| if right < left { right } else { left })
    }

    #[inline(always)]
    fn larger(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        each(left, right, |left, right| if right > left { right } else { left })
    }

    #[inline(always)]
    fn abs(self, floats: [f32; LANES]) -> [f32; LANES] {
        floats.map(f32::abs)
    }

    #[inline(always)]
    fn powers(self, exponents: [f32; LANES]) -> [f32; LANES] {
        exponents.map(|exponent| f32::from_bits(exponent.to_bits().wrapping_add(127) << 23))
    }

    #[inline(always)]
    fn low_bytes(self, floats: [f32; LANES]) -> [u8; LANES] {
        floats.map(|float| float.to_bits() as u8)
    }
}

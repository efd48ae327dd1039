//! Arrays, for machines without wide registers, and the measure of the others.

use super::{LANES, Lanes};

#[derive(Clone, Copy)]
pub(in crate::model) struct Plain;

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the lane is below the length of both by construction")]
fn each(left: [f32; LANES], right: [f32; LANES], combine: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|lane| combine(left[lane], right[lane]))
}

/// `left · right + plus`, rounded once.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the lane is below the length of all by construction")]
fn mul_add(left: [f32; LANES], right: [f32; LANES], plus: [f32; LANES]) -> [f32; LANES] {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        return std::array::from_fn(|lane| left[lane].mul_add(right[lane], plus[lane]));
    }
    // In twice as many bits the product is exact, and the sum is rounded a first time.
    let sums: [f64; LANES] =
        std::array::from_fn(|lane| f64::from(left[lane]) * f64::from(right[lane]) + f64::from(plus[lane]));
    if sums.iter().fold(false, |any, sum| any | can_mislead(*sum)) {
        return std::array::from_fn(|lane| rounded_once(left[lane], right[lane], plus[lane]));
    }
    sums.map(|sum| sum as f32)
}

/// Whether rounding this sum may come out otherwise than rounding what it was before: it looks like the middle between two floats, or is so
/// small that the middle is elsewhere.
#[inline(always)]
fn can_mislead(sum: f64) -> bool {
    const DROPPED: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    let is_middle = sum.to_bits() & DROPPED == DROPPED.div_ceil(2);
    let is_tiny = sum.abs() < f64::from(f32::MIN_POSITIVE);
    is_middle | (is_tiny & (sum != 0.0))
}

/// The same by "rounding to odd": a sum that is not exact gets its last bit set, which leaves it on the side where it belongs.
#[cold]
fn rounded_once(left: f32, right: f32, plus: f32) -> f32 {
    let (product, plus) = (f64::from(left) * f64::from(right), f64::from(plus));
    let sum = product + plus;
    let plus_in_sum = sum - product;
    let left_out = (product - (sum - plus_in_sum)) + (plus - plus_in_sum);
    let (bits, towards_zero) = (sum.to_bits(), (left_out > 0.0) != (sum > 0.0));
    // The sum is one of the two around what is exact. Where it is the even one, the other is next to it.
    let odd = if towards_zero && bits.is_multiple_of(2) { bits.wrapping_sub(1) } else { bits | 1 };
    let is_inexact = left_out.abs() > 0.0;
    f64::from_bits(if is_inexact { odd } else { bits }) as f32
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
    fn mul_add(self, left: [f32; LANES], right: [f32; LANES], plus: [f32; LANES]) -> [f32; LANES] {
        mul_add(left, right, plus)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Halves of a float's last place are where rounding twice goes wrong.
    fn awkward() -> impl Strategy<Value = f32> {
        let few_bits = (-40..40_i32, 1..64_u32).prop_map(|(exponent, bits)| bits as f32 * 2_f32.powi(exponent));
        prop_oneof![any::<f32>(), few_bits.clone(), few_bits.prop_map(|value| -value.next_up()), -2.0_f32..2.0]
    }

    fn is_same(left: f32, right: f32) -> bool {
        left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_is_rounded_once(left in awkward(), right in awkward(), plus in awkward()) {
            let expected = left.mul_add(right, plus);
            prop_assert!(is_same(rounded_once(left, right, plus), expected), "{} is expected", expected);
            let [ours, ..] = mul_add([left; LANES], [right; LANES], [plus; LANES]);
            prop_assert!(is_same(ours, expected), "{} and not {}", ours, expected);
        }
    }
}

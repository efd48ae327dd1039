//! Sixteen floats worked side by side, in whatever registers the machine has.
//!
//! Every operation is one of IEEE 754 or moves bits, and what is fused says so, so all implementations give the same bits.

#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use plain::Plain;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

/// How many values are worked side by side.
pub(super) const LANES: usize = 16;

/// The operations. Whoever holds a value that implements this is on a machine that can run them.
pub(super) trait Lanes: Copy {
    /// [`LANES`] floats.
    type Floats: Copy;
    /// How many registers they take.
    const REGISTERS: usize;

    fn splat(self, value: f32) -> Self::Floats;
    fn load(self, values: &[f32; LANES]) -> Self::Floats;
    fn store(self, floats: Self::Floats, to: &mut [f32; LANES]);
    fn add(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    fn sub(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    fn mul(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    /// `left · right + plus`, rounded once.
    fn mul_add(self, left: Self::Floats, right: Self::Floats, plus: Self::Floats) -> Self::Floats;
    fn div(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    /// `right` where it is smaller, else `left`.
    fn smaller(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    /// `right` where it is larger, else `left`.
    fn larger(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    fn abs(self, floats: Self::Floats) -> Self::Floats;
    /// Floats whose exponents are the low bits of these, with the exponent of one added.
    fn powers(self, exponents: Self::Floats) -> Self::Floats;
    /// The lowest byte of each.
    fn low_bytes(self, floats: Self::Floats) -> [u8; LANES];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Bits = [u32; LANES];

    fn floats() -> impl Strategy<Value = [f32; LANES]> {
        let special =
            prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE]);
        prop::array::uniform16(prop_oneof![4 => -1e9_f32..1e9, 4 => -2.0_f32..2.0, 1 => special])
    }

    /// What every operation makes of two vectors. Not a number is not a number, whichever of its bits are set.
    fn results<L: Lanes>(lanes: L, left: &[f32; LANES], right: &[f32; LANES]) -> (Vec<Bits>, [[u8; LANES]; 2]) {
        let (a, b) = (lanes.load(left), lanes.load(right));
        let stored = |floats| {
            let mut values = [0.0; LANES];
            lanes.store(floats, &mut values);
            values.map(|value| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() })
        };
        let operations = [
            lanes.splat(left[3]),
            lanes.add(a, b),
            lanes.sub(a, b),
            lanes.mul(a, b),
            lanes.mul_add(a, b, a),
            lanes.mul_add(a, a, b),
            lanes.div(a, b),
            lanes.smaller(a, b),
            lanes.larger(a, b),
            lanes.abs(a),
            lanes.powers(a),
        ];
        (operations.into_iter().map(stored).collect(), [lanes.low_bytes(a), lanes.low_bytes(b)])
    }

    proptest! {
        #[test]
        #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the machine is asked first"))]
        fn all_registers_give_the_same_bits(left in floats(), right in floats()) {
            let plain = results(Plain, &left, &right);
            #[cfg(target_arch = "x86_64")]
            if reflect_core::Kernel::Avx2.is_available() {
                // SAFETY: the machine was just found to have it.
                prop_assert_eq!(&results(unsafe { Avx2::new() }, &left, &right), &plain);
            }
            #[cfg(target_arch = "x86_64")]
            if reflect_core::Kernel::Avx512.is_available() {
                // SAFETY: the machine was just found to have it.
                prop_assert_eq!(&results(unsafe { Avx512::new() }, &left, &right), &plain);
            }
            #[cfg(target_arch = "aarch64")]
            prop_assert_eq!(&results(Neon, &left, &right), &plain);
            prop_assert_eq!(plain.0[1][0], {
                let sum = left[0] + right[0];
                if sum.is_nan() { f32::NAN.to_bits() } else { sum.to_bits() }
            });
        }
    }
}

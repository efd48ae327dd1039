//! Seven bits by eight, for machines whose only instruction for bytes adds two products up in 16 bits, and saturates.
//!
//! Inputs of seven bits cannot make it saturate, whatever the weights: two products are at least 2 · 127 · −128 = −32,512 and at most
//! 2 · 127 · 127 = 32,258. So of each row those are taken that are in a range of 128 bytes around the one that is zero, counted from the
//! range's start; the few beyond it leave a rest, which is multiplied by itself.
//!
//! The products of a group of steps are added up in 16 bits, modulo 65,536. What is added too much, the group's weights times where in
//! the range zero is, is taken off before. That loses nothing as long as the sum of inputs counted from zero times weights is one that 16
//! bits hold, whatever it passed through on the way. By Cauchy and Schwarz it is, if the squares of inputs and weights are small enough:
//! [`limits`] says for each group of weights what the inputs' may add up to. Where they come to more, each step is widened to 32 bits by
//! itself.

#[cfg(target_arch = "x86_64")]
mod rows;

use super::linear::BYTES_A_STEP;
#[cfg(target_arch = "x86_64")]
pub(super) use rows::{FITS, MOST_RESTS, SevenBits};

/// Steps that are added up together. Of eight, one group in twenty is too large for 16 bits; of ten, it would be one in five.
pub(super) const STEPS_A_GROUP: usize = 8;

pub(super) const BYTES_A_GROUP: usize = STEPS_A_GROUP * BYTES_A_STEP;

/// What squares are counted to, or less.
const MOST_SQUARES: u16 = i16::MAX.unsigned_abs();

/// What is known of a group of some weights or inputs. It has two halves, of the first two of each step and of the last two, since an
/// instruction adds those up.
pub(super) type Halves<T> = [T; 2];

/// What an output's weights of a group add up to.
pub(super) fn sums(weights: &[i8]) -> Halves<i16> {
    weights.as_chunks::<BYTES_A_STEP>().0.iter().fold([0; 2], |[first, last], step| {
        let [a, b, c, d] = step.map(i16::from);
        [first + a + b, last + c + d]
    })
}

/// For each group of some outputs' rows of `inputs` weights, what the squares of a row's inputs may add up to.
pub(super) fn limits(weights: &[i8], inputs: usize) -> Vec<Halves<u16>> {
    let mut squares = vec![[0_u32; 2]; inputs.div_ceil(BYTES_A_GROUP)];
    for row in weights.chunks_exact(inputs) {
        for (all, group) in squares.iter_mut().zip(row.chunks(BYTES_A_GROUP)) {
            let mut mine = [0; 2];
            for [a, b, c, d] in group.as_chunks().0 {
                let square = |weight: i8| u32::from(weight.unsigned_abs()).pow(2);
                let [first, last] = &mut mine;
                *first += square(*a) + square(*b);
                *last += square(*c) + square(*d);
            }
            all.iter_mut().zip(mine).for_each(|(all, mine)| *all = (*all).max(mine));
        }
    }
    let most = u32::from(i16::MAX.unsigned_abs()).pow(2);
    let limit = |squares| most.checked_div(squares).unwrap_or(most).min(u32::from(MOST_SQUARES - 1)) as u16;
    squares.into_iter().map(|halves| halves.map(limit)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Inputs that point the way weights do make the largest sums that their squares allow.
        #[test]
        fn sixteen_bits_hold_what_is_within_the_limits(
            weights in prop::collection::vec(prop_oneof![any::<i8>(), Just(-128), Just(127)], 3 * 32),
            share in -0.5_f64..0.5,
        ) {
            let limits = limits(&weights, 32);
            prop_assert_eq!(limits.len(), 1);
            for row in weights.chunks_exact(32) {
                for half in 0..2 {
                    let weights = row.as_chunks::<4>().0.iter().flat_map(|step| step[2 * half..2 * half + 2].iter());
                    let (mut sum, mut squares) = (0, 0);
                    for weight in weights {
                        let input = (share * f64::from(*weight)).round() as i32;
                        sum += input * i32::from(*weight);
                        squares += input * input;
                    }
                    prop_assert!(squares > i32::from(limits[0][half]) || i16::try_from(sum).is_ok(), "{}", sum);
                }
            }
        }
    }

    #[test]
    fn the_larger_the_weights_the_lower_the_limits() {
        assert_eq!(limits(&[0; 48], 48), [[MOST_SQUARES - 1; 2]; 2]);
        assert_eq!(limits(&[-128; 48], 48), [[4095; 2], [8191; 2]]);
        assert_eq!(sums(&[-128; 32]), [-2048; 2]);
        assert_eq!(sums(&[1, 2, 3, 4, 10, 20, 30, 40]), [33, 77]);
    }
}

//! Rows of bytes for machines whose only instruction for bytes adds two products up in 16 bits, and saturates.
//!
//! Inputs of seven bits cannot make it saturate, whatever the weights: two products are at least 2 · 127 · −128 = −32,512 and at most
//! 2 · 127 · 127 = 32,258. So of each row those are taken that are in a range of 128 bytes around the one that is zero; the few beyond it
//! leave a [`Rest`] of one range each, which is multiplied by itself: 2 · 128 · −128 = −32,768 is the least that 16 bits hold. And since
//! most weights are small, the 16 bits have room for a second step: [`paired`] finds steps that fit together.

use super::{linear::BYTES_A_STEP, math::Scaling};

/// How many bytes a row's range has.
const RANGE: u8 = 128;

/// What positive weights may add up to, or negative ones, so that 16 bits hold their products with inputs of seven bits.
const MOST_WEIGHT: u16 = i16::MAX as u16 / (RANGE - 1) as u16;

#[derive(Debug, Default)]
pub(super) struct SevenBits {
    /// The rows, each counted from its range's lowest byte, modulo the range, with one step of nothing after the last.
    pub(super) bytes: Vec<u8>,
    /// For each row, its range's lowest byte and where its rests end.
    rows: Vec<(u8, usize)>,
    rests: Vec<Rest>,
}

/// What inputs of one step that are beyond the range lack: one range each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub(super) step: usize,
    pub(super) bytes: [u8; BYTES_A_STEP],
    /// 1 above the range, −1 below it, in 16 bits; twice, for both pairs of a step.
    pub(super) signs: [u8; BYTES_A_STEP],
}

impl SevenBits {
    /// Puts rows of `width` bytes into seven bits, over whatever was here.
    pub(super) fn fill(&mut self, bytes: &[u8], width: usize, scalings: &[Scaling]) {
        self.bytes.clear();
        self.rows.clear();
        self.rests.clear();
        for (row, scaling) in bytes.chunks_exact(width).zip(scalings) {
            let lowest = (scaling.zero - i32::from(RANGE / 2)).clamp(0, i32::from(RANGE)) as u8;
            let start = self.bytes.len();
            self.bytes.extend(row.iter().map(|byte| byte.wrapping_sub(lowest)));
            let shifted = self.bytes.get_mut(start..).unwrap_or_default();
            push_rests(row, lowest, shifted, &mut self.rests);
            shifted.iter_mut().for_each(|byte| *byte %= RANGE);
            self.rows.push((lowest, self.rests.len()));
        }
        self.bytes.extend([0; BYTES_A_STEP]);
    }

    /// Each row's lowest byte and rests, from row `first` on.
    pub(super) fn starting_at(&self, first: usize) -> impl Iterator<Item = (u8, &[Rest])> {
        let mut start = first.checked_sub(1).and_then(|before| self.rows.get(before)).map_or(0, |(_, end)| *end);
        self.rows.iter().skip(first).map(move |(lowest, end)| {
            let rests = self.rests.get(start..*end).unwrap_or_default();
            start = *end;
            (*lowest, rests)
        })
    }
}

/// Adds the rests of a row, given also as it is `shifted`. Most steps have none, so that 64 of them are looked through at a time.
#[inline(always)]
fn push_rests(row: &[u8], lowest: u8, shifted: &[u8], rests: &mut Vec<Rest>) {
    let (row, shifted) = (row.as_chunks::<BYTES_A_STEP>().0, shifted.as_chunks::<BYTES_A_STEP>().0);
    for (number, (row, shifted)) in row.chunks(64).zip(shifted.chunks(64)).enumerate() {
        let is_beyond = |step: &[u8; BYTES_A_STEP]| u32::from_ne_bytes(*step) & u32::from_ne_bytes([RANGE; 4]) != 0;
        let mut left = shifted.iter().rev().fold(0_u64, |left, step| left << 1 | u64::from(is_beyond(step)));
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            left &= left - 1;
            let (Some(bytes), Some(shifted)) = (row.get(first), shifted.get(first)) else { return };
            let [mut above, mut below] = [[0; BYTES_A_STEP]; 2];
            for (((above, below), byte), shifted) in above.iter_mut().zip(&mut below).zip(bytes).zip(shifted) {
                *(if *byte < lowest { below } else { above }) = shifted & RANGE;
            }
            for (bytes, signs) in [(above, [1, 0, 1, 0]), (below, [u8::MAX; BYTES_A_STEP])] {
                if bytes != [0; BYTES_A_STEP] {
                    rests.push(Rest { step: 64 * number + first, bytes, signs });
                }
            }
        }
    }
}

/// Pairs of steps whose products 16 bits can hold together, for some outputs' rows of `inputs` weights. Every step is in one of them; what
/// fits no other stands beside a step after the last, which has no weights.
pub(super) fn paired(weights: &[i8], inputs: usize) -> Vec<[u32; 2]> {
    let steps = inputs / BYTES_A_STEP;
    // What the positive and the negative weights of each step come to, of the first two and the last two of each output.
    let mut reaches = vec![Vec::with_capacity(weights.len() / steps); steps];
    for row in weights.chunks_exact(inputs) {
        for (reach, [a, b, c, d]) in reaches.iter_mut().zip(row.as_chunks().0) {
            for (first, second) in [(*a, *b), (*c, *d)] {
                let size = |weight: i8| u16::from(weight.unsigned_abs());
                reach.extend([size(first.max(0)) + size(second.max(0)), size(first.min(0)) + size(second.min(0))]);
            }
        }
    }
    let fits = |one: &Vec<u16>, other: &Vec<u16>| one.iter().zip(other).all(|(one, other)| one + other <= MOST_WEIGHT);
    // Those that fit few others choose first.
    let mut left: Vec<(usize, Vec<u16>)> = reaches.into_iter().enumerate().collect();
    left.sort_by_key(|(_, reach)| reach.iter().copied().max());
    let mut pairs = Vec::with_capacity(steps.div_ceil(2));
    while let Some((step, reach)) = left.pop() {
        let partner = left.iter().position(|(_, other)| fits(&reach, other));
        let partner = partner.map_or(steps, |partner| left.remove(partner).0);
        pairs.push([step as u32, partner as u32]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_of_a_row_is_lost(row in prop::collection::vec(any::<u8>(), 2 * 32), zero in 0..=255) {
            let mut seven_bits = SevenBits::default();
            let scaling = Scaling { scale: 1.0, zero };
            seven_bits.fill(&row, 32, &[scaling; 2]);
            let mut found: Vec<i32> = seven_bits.bytes[..64].iter().map(|byte| i32::from(*byte)).collect();
            prop_assert!(found.iter().all(|byte| *byte < i32::from(RANGE)));
            for (found, (lowest, rests)) in found.chunks_exact_mut(32).zip(seven_bits.starting_at(0)) {
                found.iter_mut().for_each(|byte| *byte += i32::from(lowest));
                for Rest { step, bytes, signs } in rests {
                    let sign = i32::from(i16::from_ne_bytes([signs[0], signs[1]]));
                    for (found, byte) in found.iter_mut().skip(step * BYTES_A_STEP).zip(bytes) {
                        *found += sign * i32::from(*byte);
                    }
                }
            }
            prop_assert_eq!(found, row.into_iter().map(i32::from).collect::<Vec<_>>());
        }

        #[test]
        fn sixteen_bits_hold_every_pair_of_steps(weights in prop::collection::vec(any::<i8>(), 5 * 48)) {
            let pairs = paired(&weights, 48);
            let mut steps: Vec<u32> = pairs.as_flattened().iter().copied().filter(|step| *step < 12).collect();
            steps.sort_unstable();
            prop_assert_eq!(steps, (0..12).collect::<Vec<_>>());
            for row in weights.chunks_exact(48) {
                let steps = row.as_chunks::<BYTES_A_STEP>().0;
                for (pair, half) in pairs.iter().flat_map(|pair| [(pair, 0), (pair, 2)]) {
                    let weights = pair.iter().filter_map(|step| steps.get(*step as usize)).flat_map(|step| &step[half..half + 2]);
                    let (above, below): (Vec<i32>, Vec<i32>) = weights.map(|weight| i32::from(*weight)).partition(|weight| *weight > 0);
                    let reach = [above, below].map(|weights| weights.iter().sum::<i32>() * i32::from(RANGE - 1));
                    prop_assert!(reach.iter().all(|reach| i16::try_from(*reach).is_ok()), "{:?}", reach);
                }
            }
        }
    }
}

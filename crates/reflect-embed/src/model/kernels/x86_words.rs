//! The kernels of x86-64 without a dot product of bytes: [seven bits by eight](crate::model::seven_bits), added up in words of 16 bits.

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::arch::x86_64::{__m256i, __m512i};

use super::{
    tile::{Ahead, Product},
    x86_registers::Register,
};
use crate::model::{
    linear::{Block, Linear, Rows},
    seven_bits::{FITS, Halves, MOST_RESTS, STEPS_A_GROUP},
};

/// Registers of weights that a panel has for each step.
const REGISTERS: usize = 4;

/// # Safety
///
/// The machine has the instructions that this is compiled for.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn avx512(rows: &mut Rows, linear: &Linear, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe {
        rows.seven_bits.fill::<4>(&rows.bytes, rows.width, &rows.scalings);
        multiply::<__m512i, 4>(Product { rows, linear }, output);
    }
}

/// # Safety
///
/// The machine has the instructions that this is compiled for.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn avx2(rows: &mut Rows, linear: &Linear, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe {
        rows.seven_bits.fill::<3>(&rows.bytes, rows.width, &rows.scalings);
        multiply::<__m256i, 3>(Product { rows, linear }, output);
    }
}

/// Multiplies `ROWS` rows at a time with panels of [`REGISTERS`] registers; rows that are left over at the end go in a smaller tile.
#[inline(always)]
unsafe fn multiply<R: Register, const ROWS: usize>(product: Product<'_>, output: &mut [f32]) {
    const { assert!(ROWS <= 4, "every height needs its arm") };
    let Product { rows, linear } = product;
    let (count, groups) = (rows.scalings.len(), linear.steps().div_ceil(STEPS_A_GROUP));
    assert!(linear.packing.blocks * size_of::<Block>() == REGISTERS * size_of::<R>());
    assert_eq!([rows.seven_bits.inputs.len(), rows.seven_bits.groups.len()], [count * groups; 2]);
    assert!(output.len() == count * linear.outputs && linear.outputs.is_multiple_of(R::SUMS));
    assert_eq!([linear.sums.len(), linear.scales.len(), linear.biases.len()], [linear.outputs; 3]);
    assert_eq!(rows.seven_bits.zeros.len(), count.div_ceil(ROWS));
    let panels = linear.blocks.chunks_exact(groups * (STEPS_A_GROUP + 1) * linear.packing.blocks);
    let parts = groups * count.div_ceil(ROWS);
    for (number, (panel, limits)) in panels.zip(linear.limits.chunks_exact(groups)).enumerate() {
        for (first_row, zero) in (0..count).step_by(ROWS).zip(&rows.seven_bits.zeros) {
            let (ahead, first_output) =
                (Ahead::new(panel, parts, groups * (first_row / ROWS)), number * REGISTERS * R::SUMS);
            let tile = Tile { product, panel, ahead, limits, zero: i16::from(*zero), first_output, first_row };
            // SAFETY: as the caller promised; as many rows as the arm says are left, and the lengths were just checked.
            unsafe {
                match ROWS.min(count - first_row) {
                    1 => tile.multiply::<R, 1>(output),
                    2 => tile.multiply::<R, 2>(output),
                    3 => tile.multiply::<R, 3>(output),
                    _ => tile.multiply::<R, ROWS>(output),
                }
            }
        }
    }
}

/// Some rows against one panel of outputs.
struct Tile<'a> {
    product: Product<'a>,
    panel: &'a [Block],
    ahead: Ahead,
    limits: &'a [Halves<u16>],
    /// The input that is zero.
    zero: i16,
    first_output: usize,
    first_row: usize,
}

/// For each register of weights, the sums of each row.
type Sums<R, const ROWS: usize> = [[R; ROWS]; REGISTERS];

/// # Safety
///
/// What holds for all of it: as for [`Register`]; `first_row + ROWS` rows exist, rows and panel have as many groups as there are limits, and
/// `output` has a row for each row.
impl Tile<'_> {
    #[inline(always)]
    unsafe fn multiply<R: Register, const ROWS: usize>(&self, output: &mut [f32]) {
        // SAFETY: as the caller promised.
        unsafe {
            let mut sums = [[R::repeat(0); ROWS]; REGISTERS];
            for (number, limits) in self.limits.iter().enumerate() {
                self.ahead.fetch(number);
                let groups = &self.product.rows.seven_bits.groups;
                let room = (0..ROWS).map(|row| groups.get_unchecked(self.group(row, number)).room(*limits));
                if room.fold(FITS, |all, room| all & room) == FITS {
                    self.add_group(number, &mut sums);
                } else {
                    self.add_steps(number, &mut sums);
                }
            }
            self.add_rests(&mut sums);
            for (first, sums) in (self.first_output..self.product.linear.outputs).step_by(R::SUMS).zip(sums) {
                for (row, sums) in (self.first_row..).zip(sums) {
                    // The row exists, and as many outputs from `first` on as a register has sums.
                    sums.finish(&self.product.finish([row, first], 0, output));
                }
            }
        }
    }

    /// Adds what a group comes to that 16 bits hold.
    #[inline(always)]
    unsafe fn add_group<R: Register, const ROWS: usize>(&self, number: usize, sums: &mut Sums<R, ROWS>) {
        // SAFETY: as the caller promised.
        unsafe {
            let zeros = repeat_word::<R>(-self.zero);
            let mut words: Sums<R, ROWS> =
                std::array::from_fn(|register| [self.weight_sums::<R>(number, register).multiply_words(zeros); ROWS]);
            for step in 0..STEPS_A_GROUP {
                let inputs: [R; ROWS] = self.inputs(number, step);
                for (register, words) in words.iter_mut().enumerate() {
                    let weights = self.weights(number * STEPS_A_GROUP + step, register);
                    for (words, inputs) in words.iter_mut().zip(inputs) {
                        *words = words.add_words(R::products(inputs, weights));
                    }
                }
            }
            for (sums, words) in sums.as_flattened_mut().iter_mut().zip(words.as_flattened()) {
                *sums = sums.add_pairs(*words, repeat_word(1));
            }
        }
    }

    /// Adds what a group comes to, whatever that is.
    #[inline(always)]
    unsafe fn add_steps<R: Register, const ROWS: usize>(&self, number: usize, sums: &mut Sums<R, ROWS>) {
        // SAFETY: as the caller promised.
        unsafe {
            for (register, sums) in sums.iter_mut().enumerate() {
                let weights = self.weight_sums(number, register);
                sums.iter_mut().for_each(|sums| *sums = sums.add_pairs(weights, repeat_word(-self.zero)));
            }
            for step in 0..STEPS_A_GROUP {
                let inputs: [R; ROWS] = self.inputs(number, step);
                for (register, sums) in sums.iter_mut().enumerate() {
                    let weights = self.weights(number * STEPS_A_GROUP + step, register);
                    for (sums, inputs) in sums.iter_mut().zip(inputs) {
                        *sums = sums.add_pairs(R::products(inputs, weights), repeat_word(1));
                    }
                }
            }
        }
    }

    /// Adds what the rows' rests come to. All rows' are in one loop, whose end is guessed wrong less often than that of several.
    #[inline(always)]
    unsafe fn add_rests<R: Register, const ROWS: usize>(&self, sums: &mut Sums<R, ROWS>) {
        for rests in self.product.rows.seven_bits.rests(self.first_row..self.first_row + ROWS).chunks(MOST_RESTS) {
            // SAFETY: as the caller promised; rests are of rows that were asked for and of steps that rows have.
            unsafe {
                // For each row, what is lacking and what is too much.
                let mut words = [[[R::repeat(0); REGISTERS]; 2]; ROWS];
                for rest in rests {
                    let times = R::repeat(i32::from_ne_bytes(rest.times));
                    let words =
                        words.as_flattened_mut().get_unchecked_mut(rest.row_and_sign as usize - 2 * self.first_row);
                    for (register, words) in words.iter_mut().enumerate() {
                        *words = words.add_words(R::products(times, self.weights(rest.step as usize, register)));
                    }
                }
                for (row, [lacking, too_much]) in words.iter().enumerate() {
                    for (sums, (lacking, too_much)) in sums.iter_mut().zip(lacking.iter().zip(too_much)) {
                        let sums = sums.get_unchecked_mut(row);
                        *sums = sums.add_pairs(lacking.sub_words(*too_much), repeat_word(128));
                    }
                }
            }
        }
    }

    /// Where a row's group is among all groups.
    #[inline(always)]
    fn group(&self, row: usize, number: usize) -> usize {
        (self.first_row + row) * self.limits.len() + number
    }

    /// One step of each row's group.
    #[inline(always)]
    unsafe fn inputs<R: Register, const ROWS: usize>(&self, number: usize, step: usize) -> [R; ROWS] {
        let inputs = &self.product.rows.seven_bits.inputs;
        // SAFETY: as the caller promised.
        std::array::from_fn(|row| unsafe {
            R::repeat(i32::from_ne_bytes(*inputs.get_unchecked(self.group(row, number)).get_unchecked(step)))
        })
    }

    /// A register of what the weights of one group add up to, in words. They lie before the group's own.
    #[inline(always)]
    unsafe fn weight_sums<R: Register>(&self, number: usize, register: usize) -> R {
        // SAFETY: as the caller promised.
        unsafe { self.load(number * (STEPS_A_GROUP + 1), register) }
    }

    /// A register of the weights of one step.
    #[inline(always)]
    unsafe fn weights<R: Register>(&self, step: usize, register: usize) -> R {
        // SAFETY: as the caller promised.
        unsafe { self.load(step + step / STEPS_A_GROUP + 1, register) }
    }

    #[inline(always)]
    unsafe fn load<R: Register>(&self, place: usize, register: usize) -> R {
        // SAFETY: as the caller promised.
        unsafe { R::load(self.panel.as_ptr().cast::<u8>().add((place * REGISTERS + register) * size_of::<R>())) }
    }
}

/// The same word in every lane.
#[inline(always)]
unsafe fn repeat_word<R: Register>(word: i16) -> R {
    let [a, b] = word.to_ne_bytes();
    // SAFETY: as the caller promised.
    unsafe { R::repeat(i32::from_ne_bytes([a, b, a, b])) }
}

//! The kernels of x86-64 without a dot product of bytes: rows are in [seven bits](crate::model::seven_bits).

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::arch::x86_64::*;

use super::{
    tile::{Finish, Product},
    x86::{finish256, finish512},
};
use crate::model::linear::{BYTES_A_STEP, Block};

/// Registers of weights that a panel has for each step.
const REGISTERS: usize = 4;

/// # Safety
///
/// The machine has the instructions that this is compiled for.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn avx512(product: Product<'_>, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe { multiply::<__m512i, 4>(product, output) }
}

/// # Safety
///
/// The machine has the instructions that this is compiled for.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn avx2(product: Product<'_>, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe { multiply::<__m256i, 2>(product, output) }
}

/// A register of whole numbers.
///
/// # Safety
///
/// All of it may only be called where the machine has the register's instructions.
trait Register: Copy {
    /// Sums of 32 bits that it holds.
    const SUMS: usize;

    unsafe fn load(from: *const u8) -> Self;
    /// The same four bytes in every lane of 32 bits.
    unsafe fn repeat(bytes: [u8; BYTES_A_STEP]) -> Self;
    /// Unsigned bytes times signed ones, added up in pairs, in 16 bits.
    unsafe fn products(inputs: Self, weights: Self) -> Self;
    unsafe fn add_words(left: Self, right: Self) -> Self;
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
    unsafe fn repeat(bytes: [u8; BYTES_A_STEP]) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(i32::from_ne_bytes(bytes)) }
    }

    #[inline(always)]
    unsafe fn products(inputs: Self, weights: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_maddubs_epi16(inputs, weights) }
    }

    #[inline(always)]
    unsafe fn add_words(left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_add_epi16(left, right) }
    }

    #[inline(always)]
    unsafe fn add_pairs(self, words: Self, factors: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(self, _mm512_madd_epi16(words, factors)) }
    }

    #[inline(always)]
    unsafe fn finish(self, to: &Finish) {
        // SAFETY: as above.
        unsafe { finish512(self, to) }
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
    unsafe fn repeat(bytes: [u8; BYTES_A_STEP]) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set1_epi32(i32::from_ne_bytes(bytes)) }
    }

    #[inline(always)]
    unsafe fn products(inputs: Self, weights: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_maddubs_epi16(inputs, weights) }
    }

    #[inline(always)]
    unsafe fn add_words(left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_add_epi16(left, right) }
    }

    #[inline(always)]
    unsafe fn add_pairs(self, words: Self, factors: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_add_epi32(self, _mm256_madd_epi16(words, factors)) }
    }

    #[inline(always)]
    unsafe fn finish(self, to: &Finish) {
        // SAFETY: as above.
        unsafe { finish256(self, to) }
    }
}

/// Multiplies `ROWS` rows at a time with panels of [`REGISTERS`] registers; rows that are left over at the end go in a smaller tile.
#[inline(always)]
unsafe fn multiply<R: Register, const ROWS: usize>(product: Product<'_>, output: &mut [f32]) {
    const { assert!(ROWS <= 4, "every height needs its arm") };
    let Product { rows, linear } = product;
    let (count, blocks_a_panel) = (rows.scalings.len(), (linear.steps() + 1) * linear.packing.blocks);
    assert!(linear.packing.blocks * size_of::<Block>() == REGISTERS * size_of::<R>());
    assert!(rows.seven_bits.bytes.len() == count * linear.inputs + BYTES_A_STEP);
    assert!(output.len() == count * linear.outputs && linear.outputs.is_multiple_of(R::SUMS));
    assert_eq!([linear.sums.len(), linear.scales.len(), linear.biases.len()], [linear.outputs; 3]);
    for (number, (panel, pairs)) in linear.blocks.chunks_exact(blocks_a_panel).zip(linear.pairs.iter()).enumerate() {
        assert!(pairs.as_flattened().iter().all(|step| *step as usize <= linear.steps()));
        for first_row in (0..count).step_by(ROWS) {
            let tile = Tile { product, panel, pairs, first_output: number * REGISTERS * R::SUMS, first_row };
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
    pairs: &'a [[u32; 2]],
    first_output: usize,
    first_row: usize,
}

impl Tile<'_> {
    /// # Safety
    ///
    /// As for [`Register`]; `first_row + ROWS` rows exist, the panel has all steps that the pairs name, and `output` has a row for each.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "there are sums for each of the rows")]
    unsafe fn multiply<R: Register, const ROWS: usize>(&self, output: &mut [f32]) {
        let Product { rows, linear } = self.product;
        // SAFETY: as the caller promised.
        let sums = unsafe { self.sums::<R, ROWS>() };
        for (row, (lowest, rests)) in (0..ROWS).zip(rows.seven_bits.starting_at(self.first_row)) {
            let mut sums = sums.map(|sums| sums[row]);
            for rest in rests {
                // SAFETY: as the caller promised; rests are of steps that rows have.
                unsafe {
                    let (inputs, signs) = (R::repeat(rest.bytes), R::repeat(rest.signs));
                    for (number, sums) in sums.iter_mut().enumerate() {
                        *sums = sums.add_pairs(R::products(inputs, self.weights(rest.step, number)), signs);
                    }
                }
            }
            for (first, sums) in (self.first_output..linear.outputs).step_by(R::SUMS).zip(sums) {
                // SAFETY: the row exists, and as many outputs from `first` on as a register has sums.
                unsafe { sums.finish(&self.product.finish([self.first_row + row, first], lowest.into(), output)) };
            }
        }
    }

    /// The sums of all pairs of steps, for each register those of each row.
    #[inline(always)]
    unsafe fn sums<R: Register, const ROWS: usize>(&self) -> [[R; ROWS]; REGISTERS] {
        let stride = self.product.linear.inputs;
        // SAFETY: as the caller promised; of a row each step is read, and at most one that follows it.
        unsafe {
            let first_row = self.product.rows.seven_bits.bytes.as_ptr().add(self.first_row * stride);
            let input = |row: usize, step: usize| {
                R::repeat(first_row.add(row * stride + step * BYTES_A_STEP).cast::<[u8; BYTES_A_STEP]>().read())
            };
            let ones = R::repeat([1, 0, 1, 0]);
            let mut sums = [[R::repeat([0; BYTES_A_STEP]); ROWS]; REGISTERS];
            for pair in self.pairs {
                let [first, second] = pair.map(|step| step as usize);
                let inputs: [[R; 2]; ROWS] = std::array::from_fn(|row| [input(row, first), input(row, second)]);
                for (number, sums) in sums.iter_mut().enumerate() {
                    let weights = [self.weights(first, number), self.weights(second, number)];
                    for (sums, inputs) in sums.iter_mut().zip(inputs) {
                        let products = [R::products(inputs[0], weights[0]), R::products(inputs[1], weights[1])];
                        *sums = sums.add_pairs(R::add_words(products[0], products[1]), ones);
                    }
                }
            }
            sums
        }
    }

    /// A register of the weights of one step.
    #[inline(always)]
    unsafe fn weights<R: Register>(&self, step: usize, number: usize) -> R {
        // SAFETY: as the caller promised.
        unsafe { R::load(self.panel.as_ptr().cast::<u8>().add((step * REGISTERS + number) * size_of::<R>())) }
    }
}

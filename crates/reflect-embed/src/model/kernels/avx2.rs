//! AVX2: bytes are widened to 16 bits first. The instruction that would multiply them as they are saturates, and then the
//! sums would no longer be the same everywhere.

#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_madd_epi16, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_storeu_si256,
};

use super::plain::finish;
use crate::model::{
    linear::{BLOCKS_A_PANEL, Block, INPUTS_A_STEP, Linear, OUTPUTS_A_PANEL, Rows},
    math::LANES,
};

/// Registers that hold the sums of one block: two sums for each output, four outputs a register.
const REGISTERS: usize = 4;

/// Rows that are worked together: their sums and a block of weights fill the 16 registers.
const ROWS_A_TILE: usize = 2;

pub(super) fn multiply(rows: &Rows, linear: &Linear, output: &mut [f32]) {
    let count = rows.scalings.len();
    assert!(std::arch::is_x86_feature_detected!("avx2"), "the kernel is only picked where it can run");
    assert!(rows.width == linear.inputs && rows.bytes.len() == count * rows.width);
    assert!(output.len() == count * linear.outputs && linear.outputs.is_multiple_of(LANES));
    assert!(linear.inputs.is_multiple_of(INPUTS_A_STEP));
    let panel_length = linear.steps() * BLOCKS_A_PANEL;
    for (number, panel) in linear.blocks.chunks_exact(panel_length).enumerate() {
        for block in 0..BLOCKS_A_PANEL {
            let first = number * OUTPUTS_A_PANEL + block * LANES;
            if first >= linear.outputs {
                break;
            }
            let column = Column { rows, linear, panel, block, first };
            for row in (0..count).step_by(ROWS_A_TILE) {
                // SAFETY: the feature was just found; the rows exist, and the lengths were just checked.
                unsafe {
                    match count - row {
                        1 => column.multiply::<1>(row, output),
                        _ => column.multiply::<ROWS_A_TILE>(row, output),
                    }
                }
            }
        }
    }
}

/// One block of sixteen outputs.
struct Column<'a> {
    rows: &'a Rows,
    linear: &'a Linear,
    panel: &'a [Block],
    block: usize,
    first: usize,
}

impl Column<'_> {
    /// # Safety
    ///
    /// The machine has AVX2; `first_row + HEIGHT` rows exist, the panel belongs to the matrix, and `output` has a row for each.
    #[target_feature(enable = "avx2")]
    unsafe fn multiply<const HEIGHT: usize>(&self, first_row: usize, output: &mut [f32]) {
        let width = self.rows.width;
        let mut sums = [[_mm256_setzero_si256(); REGISTERS]; HEIGHT];
        // SAFETY: HEIGHT rows of `width` bytes start here, and each step reads four bytes of each; the panel has four blocks
        // of 64 bytes for each step, of which this reads one.
        unsafe {
            let bytes = self.rows.bytes.as_ptr().add(first_row * width);
            let mut block = self.panel.as_ptr().add(self.block);
            for step in 0..self.linear.steps() {
                let weights: [__m256i; REGISTERS] = std::array::from_fn(|register| {
                    _mm256_cvtepi8_epi16(_mm_loadu_si128(block.cast::<__m128i>().add(register)))
                });
                for (row, sums) in sums.iter_mut().enumerate() {
                    let inputs = bytes.add(row * width + step * INPUTS_A_STEP).cast::<u32>().read_unaligned();
                    let inputs = _mm256_set1_epi64x(widen(inputs));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(inputs, weights));
                    }
                }
                block = block.wrapping_add(BLOCKS_A_PANEL);
            }
        }
        let scalings = self.rows.scalings.iter().skip(first_row);
        let outputs = output.chunks_exact_mut(self.linear.outputs).skip(first_row);
        for ((sums, scaling), output) in sums.into_iter().zip(scalings).zip(outputs) {
            let mut pairs = [0_i32; 2 * LANES];
            for (register, pairs) in sums.into_iter().zip(pairs.as_chunks_mut::<8>().0) {
                // SAFETY: the eight values are 32 bytes.
                unsafe { _mm256_storeu_si256(pairs.as_mut_ptr().cast(), register) }
            }
            let mut sums = [0_i32; LANES];
            for (sum, [left, right]) in sums.iter_mut().zip(pairs.as_chunks::<2>().0) {
                *sum = left + right;
            }
            let end = self.first + LANES;
            if let Some(output) = output.get_mut(self.first..end) {
                finish(self.linear, self.first, *scaling, &sums, output);
            }
        }
    }
}

/// Four bytes as four numbers of 16 bits.
fn widen(bytes: u32) -> i64 {
    let bytes = u64::from(bytes);
    let spread = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF;
    ((spread | spread << 8) & 0x00FF_00FF_00FF_00FF).cast_signed()
}

//! AVX-512 with VNNI.

#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{
    __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_ps, _mm512_mullo_epi32, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
    _mm512_storeu_ps, _mm512_sub_epi32,
};

use crate::model::{
    linear::{BLOCKS_A_PANEL, Block, INPUTS_A_STEP, Linear, OUTPUTS_A_PANEL, Rows},
    math::{LANES, Scaling},
};

/// Rows that are worked together: 6 rows of 4 sums each, 4 weights and 1 input fill 29 of the 32 registers.
const ROWS_A_TILE: usize = 6;

pub(super) fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vnni")
}

pub(super) fn multiply(rows: &Rows, linear: &Linear, output: &mut [f32]) {
    let count = rows.scalings.len();
    assert!(is_available(), "the kernel is only picked where it can run");
    assert!(rows.width == linear.inputs && rows.bytes.len() == count * rows.width);
    assert!(output.len() == count * linear.outputs && linear.outputs.is_multiple_of(LANES));
    assert!(linear.inputs.is_multiple_of(INPUTS_A_STEP));
    let panel_length = linear.steps() * BLOCKS_A_PANEL;
    for (number, panel) in linear.blocks.chunks_exact(panel_length).enumerate() {
        let first_output = number * OUTPUTS_A_PANEL;
        let mut row = 0;
        while row < count {
            let tile = Tile { rows, linear, panel, first_output, first_row: row };
            // SAFETY: the features were just found; `tile` is inside the lengths that were just checked, since
            // `row + height <= count` in every arm.
            unsafe {
                match count - row {
                    1 => tile.multiply::<1>(output),
                    2 => tile.multiply::<2>(output),
                    3 => tile.multiply::<3>(output),
                    4 => tile.multiply::<4>(output),
                    5 => tile.multiply::<5>(output),
                    _ => tile.multiply::<ROWS_A_TILE>(output),
                }
            }
            row += ROWS_A_TILE;
        }
    }
}

/// Some rows against one panel of outputs.
struct Tile<'a> {
    rows: &'a Rows,
    linear: &'a Linear,
    panel: &'a [Block],
    first_output: usize,
    first_row: usize,
}

impl Tile<'_> {
    /// # Safety
    ///
    /// The machine has AVX-512 F, BW and VNNI; `first_row + HEIGHT` rows exist, the panel belongs to the matrix, and `output`
    /// has a row of `linear.outputs` floats for each of them.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn multiply<const HEIGHT: usize>(&self, output: &mut [f32]) {
        let width = self.rows.width;
        let mut sums = [[_mm512_setzero_si512(); BLOCKS_A_PANEL]; HEIGHT];
        // SAFETY: HEIGHT rows of `width` bytes start here; each step reads four bytes of each row, `width / 4` times, and
        // four blocks of the panel, which has four for each step. Blocks are aligned to 64 bytes.
        unsafe {
            let bytes = self.rows.bytes.as_ptr().add(self.first_row * width);
            let mut block = self.panel.as_ptr().cast::<__m512i>();
            for step in 0..self.linear.steps() {
                let weights: [__m512i; BLOCKS_A_PANEL] =
                    std::array::from_fn(|number| _mm512_load_si512(block.add(number)));
                for (row, sums) in sums.iter_mut().enumerate() {
                    let inputs = bytes.add(row * width + step * INPUTS_A_STEP).cast::<i32>().read_unaligned();
                    let inputs = _mm512_set1_epi32(inputs);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = _mm512_dpbusd_epi32(*sum, inputs, weights);
                    }
                }
                block = block.add(BLOCKS_A_PANEL);
            }
        }
        for ((row, sums), scaling) in (self.first_row..).zip(sums).zip(self.rows.scalings.iter().skip(self.first_row)) {
            let outputs = self.first_output..self.linear.outputs;
            for (first, sums) in outputs.step_by(LANES).zip(sums) {
                // SAFETY: sixteen outputs from `first` on exist, since their number is a multiple of sixteen, and so do
                // sums, scales and biases for them; `output` has a row of `outputs` floats for each row.
                unsafe {
                    self.finish(first, *scaling, sums, output.as_mut_ptr().add(row * self.linear.outputs + first))
                }
            }
        }
    }

    /// Sums into floats, for the sixteen outputs from `first` on.
    ///
    /// # Safety
    ///
    /// As for [`Self::multiply`]; sixteen outputs from `first` on exist, and `output` has room for them.
    #[target_feature(enable = "avx512f")]
    unsafe fn finish(&self, first: usize, scaling: Scaling, sums: __m512i, output: *mut f32) {
        // SAFETY: all four have sixteen values from here on, as the caller promised.
        let (weights, scales, biases) = unsafe {
            (
                _mm512_loadu_si512(self.linear.sums.as_ptr().add(first).cast()),
                _mm512_loadu_ps(self.linear.scales.as_ptr().add(first)),
                _mm512_loadu_ps(self.linear.biases.as_ptr().add(first)),
            )
        };
        let shift = _mm512_mullo_epi32(_mm512_set1_epi32(scaling.zero), weights);
        let sums = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums, shift));
        let scales = _mm512_mul_ps(_mm512_set1_ps(scaling.scale), scales);
        let values = _mm512_add_ps(_mm512_mul_ps(sums, scales), biases);
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(output, values) }
    }
}

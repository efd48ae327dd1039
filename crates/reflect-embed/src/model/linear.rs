//! A layer's matrix in int8, and rows of bytes to put through it.

use std::sync::Arc;

use super::math::{LANES, Scaling, quantise};

/// Inputs that are worked together: as many bytes as a dot-product instruction adds up.
pub(super) const INPUTS_A_STEP: usize = 4;

/// Blocks of sixteen outputs that are worked together.
pub(super) const BLOCKS_A_PANEL: usize = 4;

/// Outputs that are worked together.
pub(super) const OUTPUTS_A_PANEL: usize = LANES * BLOCKS_A_PANEL;

/// Four weights for each of sixteen outputs: one cache line, one vector register.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [[i8; INPUTS_A_STEP]; LANES]);

/// `y = W x + b` with W in int8, one scale for each output.
///
/// The weights lie in the order in which a kernel reads them: panels of 64 outputs; in each, for every four inputs, four
/// blocks of sixteen outputs. Outputs that a panel has too many weigh nothing. Several layers may have the same weights.
pub(super) struct Linear {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) blocks: Arc<[Block]>,
    /// The sum of each output's weights: what a row's zero point has to be multiplied with.
    pub(super) sums: Arc<[i32]>,
    pub(super) scales: Vec<f32>,
    pub(super) biases: Vec<f32>,
}

impl Linear {
    /// Packs a matrix given by rows of weights, one row for each output. `None` if the lengths do not fit or are not
    /// multiples of sixteen.
    pub(super) fn pack(weights: &[i8], scales: Vec<f32>, biases: Vec<f32>) -> Option<Self> {
        let outputs = scales.len();
        let inputs = weights.len().checked_div(outputs)?;
        let fits = inputs * outputs == weights.len() && biases.len() == outputs;
        if !fits || inputs == 0 || !inputs.is_multiple_of(LANES) || !outputs.is_multiple_of(LANES) {
            return None;
        }
        let steps = inputs / INPUTS_A_STEP;
        let panels = outputs.div_ceil(OUTPUTS_A_PANEL);
        let empty = Block([[0; INPUTS_A_STEP]; LANES]);
        let mut blocks: Arc<[Block]> = std::iter::repeat_n(empty, panels * steps * BLOCKS_A_PANEL).collect();
        let packed = Arc::get_mut(&mut blocks)?;
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (panel, within) = (output / OUTPUTS_A_PANEL, output % OUTPUTS_A_PANEL);
            let (first, lane) = (panel * steps * BLOCKS_A_PANEL + within / LANES, within % LANES);
            let mine = packed.iter_mut().skip(first).step_by(BLOCKS_A_PANEL);
            for (block, weights) in mine.zip(row.as_chunks::<INPUTS_A_STEP>().0) {
                *block.0.get_mut(lane)? = *weights;
            }
        }
        let sum = |row: &[i8]| row.iter().map(|weight| i32::from(*weight)).sum();
        let sums = weights.chunks_exact(inputs).map(sum).collect();
        Some(Self { inputs, outputs, blocks, sums, scales, biases })
    }

    /// The same weights with other scales and biases. `None` if there is not one of each for every output.
    pub(super) fn rescaled(&self, scales: Vec<f32>, biases: Vec<f32>) -> Option<Self> {
        let fits = scales.len() == self.outputs && biases.len() == self.outputs;
        let (blocks, sums) = (Arc::clone(&self.blocks), Arc::clone(&self.sums));
        fits.then_some(Self { inputs: self.inputs, outputs: self.outputs, blocks, sums, scales, biases })
    }

    /// How many times four inputs there are.
    pub(super) fn steps(&self) -> usize {
        self.inputs / INPUTS_A_STEP
    }
}

/// Rows of bytes, each with what its bytes mean.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) width: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) scalings: Vec<Scaling>,
}

impl Rows {
    /// Quantises `floats`, `width` to a row, over whatever was here.
    #[inline(always)]
    pub(super) fn fill(&mut self, floats: &[f32], width: usize) {
        self.width = width;
        self.bytes.resize(floats.len(), 0);
        self.scalings.clear();
        for (row, bytes) in floats.chunks_exact(width).zip(self.bytes.chunks_exact_mut(width)) {
            self.scalings.push(quantise(row, bytes));
        }
    }

    /// Starts over with rows of `width` bytes.
    pub(super) fn clear(&mut self, width: usize) {
        self.width = width;
        self.bytes.clear();
        self.scalings.clear();
    }

    /// Adds a row of signed bytes.
    pub(super) fn push(&mut self, row: &[i8], scale: f32) {
        self.bytes.extend(row.iter().map(|byte| byte.cast_unsigned() ^ 0x80));
        self.scalings.push(Scaling { scale, zero: 128 });
    }
}

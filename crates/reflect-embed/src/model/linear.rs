//! A layer's matrix in int8, and rows of bytes to put through it.

use std::sync::Arc;

use super::{
    lanes::{LANES, Lanes},
    math::{Math, Scaling},
    seven_bits::{self, BYTES_A_GROUP, Halves},
};

/// Bytes of a row that are worked together: as many as a dot-product instruction adds up.
pub(super) const BYTES_A_STEP: usize = 4;

/// The weights of one step for each of sixteen outputs: one cache line, or one of the widest registers.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [[u8; BYTES_A_STEP]; LANES]);

/// How a kernel wants weights and rows to lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packing {
    pub(super) inputs: InputForm,
    /// Blocks of sixteen outputs that are worked together.
    pub(super) blocks: usize,
}

/// What a row's bytes are turned into before they are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputForm {
    /// Left as they are.
    Bytes,
    /// Less 128, for instructions that only multiply signed bytes.
    SignedBytes,
    /// In [seven bits](super::seven_bits), for an instruction that could saturate with eight.
    SevenBits,
}

/// `y = W x + b` with W in int8, one scale for each output.
///
/// The weights lie in the order in which a kernel reads them: panels of as many blocks as it works together; in each, step by step, one block
/// for each sixteen outputs. For inputs in seven bits, each group of steps has a block before it with what its weights add up to. Outputs
/// that a panel has too many weigh nothing. Several layers may have the same weights.
pub(super) struct Linear {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) packing: Packing,
    pub(super) blocks: Arc<[Block]>,
    /// For inputs in seven bits: panel by panel, what the squares of each group of inputs may add up to.
    pub(super) limits: Arc<[Halves<u16>]>,
    /// The sum of each output's weights: what a row's zero point has to be multiplied with.
    pub(super) sums: Arc<[i32]>,
    pub(super) scales: Vec<f32>,
    pub(super) biases: Vec<f32>,
}

impl Linear {
    /// Packs a matrix given by rows of weights, one row for each output. `None` if the lengths do not fit or are not
    /// multiples of sixteen.
    pub(super) fn pack(weights: &[i8], scales: Vec<f32>, biases: Vec<f32>, packing: Packing) -> Option<Self> {
        let outputs = scales.len();
        let inputs = weights.len().checked_div(outputs)?;
        let fits = inputs * outputs == weights.len() && biases.len() == outputs;
        if !fits || inputs == 0 || !inputs.is_multiple_of(LANES) || !outputs.is_multiple_of(LANES) {
            return None;
        }
        let outputs_a_panel = packing.blocks * LANES;
        let panels = outputs.div_ceil(outputs_a_panel);
        // Inputs in seven bits are worked in groups, before each of which lies what its weights add up to.
        let is_grouped = packing.inputs == InputForm::SevenBits;
        let (bytes_a_group, before) = if is_grouped { (BYTES_A_GROUP, 1) } else { (inputs, 0) };
        let places_a_group = bytes_a_group / BYTES_A_STEP + before;
        let places = inputs.div_ceil(bytes_a_group) * places_a_group;
        let empty = Block([[0; BYTES_A_STEP]; LANES]);
        let mut blocks: Arc<[Block]> = std::iter::repeat_n(empty, panels * places * packing.blocks).collect();
        let packed = Arc::get_mut(&mut blocks)?;
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (panel, within) = (output / outputs_a_panel, output % outputs_a_panel);
            let (first, lane) = (panel * places * packing.blocks + within / LANES, within % LANES);
            for (number, group) in row.chunks(bytes_a_group).enumerate() {
                let start = first + number * places_a_group * packing.blocks;
                let sums = is_grouped.then(|| seven_bits::sums(group).map(i16::to_ne_bytes));
                let sums = sums.map(|[[a, b], [c, d]]| [a, b, c, d]);
                let steps = group.as_chunks().0.iter().map(|step| step.map(i8::cast_unsigned));
                for (block, bytes) in
                    packed.iter_mut().skip(start).step_by(packing.blocks).zip(sums.into_iter().chain(steps))
                {
                    *block.0.get_mut(lane)? = bytes;
                }
            }
        }
        let in_panels = weights.chunks(outputs_a_panel * inputs).filter(|_| is_grouped);
        let limits = in_panels.flat_map(|panel| seven_bits::limits(panel, inputs)).collect();
        let sum = |row: &[i8]| row.iter().map(|weight| i32::from(*weight)).sum();
        let sums = weights.chunks_exact(inputs).map(sum).collect();
        Some(Self { inputs, outputs, packing, blocks, limits, sums, scales, biases })
    }

    /// The same weights with other scales and biases. `None` if there is not one of each for every output.
    pub(super) fn rescaled(&self, scales: Vec<f32>, biases: Vec<f32>) -> Option<Self> {
        let fits = scales.len() == self.outputs && biases.len() == self.outputs;
        let (blocks, limits, sums) = (Arc::clone(&self.blocks), Arc::clone(&self.limits), Arc::clone(&self.sums));
        fits.then_some(Self { blocks, limits, sums, scales, biases, ..*self })
    }

    /// How many steps a row has.
    pub(super) fn steps(&self) -> usize {
        self.inputs / BYTES_A_STEP
    }
}

/// Rows of bytes, each with what its bytes mean.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) width: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) scalings: Vec<Scaling>,
    /// The bytes less 128, where they were prepared so.
    signed: Option<Vec<u8>>,
    /// The bytes in seven bits, where a kernel put them there.
    #[cfg(target_arch = "x86_64")]
    pub(super) seven_bits: seven_bits::SevenBits,
}

impl Rows {
    /// Quantises `floats`, `width` to a row, over whatever was here.
    #[inline(always)]
    pub(super) fn fill<L: Lanes>(&mut self, math: Math<L>, floats: &[f32], width: usize) {
        self.clear(width);
        for row in floats.chunks_exact(width) {
            self.push_floats(math, row);
        }
    }

    /// Quantises one more row.
    #[inline(always)]
    pub(super) fn push_floats<L: Lanes>(&mut self, math: Math<L>, row: &[f32]) {
        let start = self.bytes.len();
        self.bytes.resize(start + row.len(), 0);
        let bytes = self.bytes.get_mut(start..).unwrap_or_default();
        self.scalings.push(math.quantise(row, bytes));
    }

    /// Puts the bytes into the form in which they are multiplied.
    #[inline(always)]
    pub(super) fn prepare(&mut self, form: InputForm) {
        match form {
            InputForm::Bytes => self.signed = None,
            InputForm::SignedBytes => {
                let signed = self.signed.get_or_insert_default();
                signed.clear();
                signed.extend(self.bytes.iter().map(|byte| byte ^ 0x80));
            }
            // Their kernels do that themselves, in their registers.
            InputForm::SevenBits => {}
        }
    }

    /// What is multiplied.
    pub(super) fn inputs(&self) -> &[u8] {
        self.signed.as_ref().unwrap_or(&self.bytes)
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

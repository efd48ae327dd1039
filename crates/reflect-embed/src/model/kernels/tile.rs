//! The loop that all kernels share: some rows against one panel of outputs, with the sums in registers.

#![expect(unsafe_code, reason = "reads through pointers, so that nothing is checked inside the loop")]

use crate::model::{
    lanes::LANES,
    linear::{BYTES_A_STEP, Block, InputForm, Linear, Rows},
    math::Scaling,
};

/// Steps in which one part of the next panel is asked for.
const STEPS_A_PART: usize = 8;

/// What a kernel does with one block of weights: sixteen outputs, in whose lanes lie the weights of one step.
///
/// # Safety
///
/// All of it may only be called where the machine has the kernel's instructions. A block is read whole, of a row one step.
pub(super) trait Instructions {
    /// The sums of sixteen outputs.
    type Sums: Copy;
    type Weights: Copy;
    type Inputs: Copy;

    unsafe fn zero() -> Self::Sums;
    unsafe fn weights(block: *const Block) -> Self::Weights;
    /// One step of a row, in every lane.
    unsafe fn inputs(step: *const u8) -> Self::Inputs;
    /// Adds the products of one step.
    unsafe fn add(sums: Self::Sums, inputs: Self::Inputs, weights: Self::Weights) -> Self::Sums;
    /// Turns sums into floats, with the operations of the plain kernel, in their order.
    unsafe fn finish(sums: Self::Sums, to: &Finish);
}

/// What sixteen sums become floats with, and where those go. All pointers lead to sixteen values.
pub(super) struct Finish {
    /// What the row's bytes are worth, and which of them is zero.
    pub(super) scaling: Scaling,
    pub(super) weight_sums: *const i32,
    pub(super) scales: *const f32,
    pub(super) biases: *const f32,
    pub(super) output: *mut f32,
}

impl Finish {
    /// The same without the first `count` values.
    ///
    /// # Safety
    ///
    /// There are as many.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn after(&self, count: usize) -> Self {
        // SAFETY: as the caller promised.
        unsafe {
            Self {
                scaling: self.scaling,
                weight_sums: self.weight_sums.add(count),
                scales: self.scales.add(count),
                biases: self.biases.add(count),
                output: self.output.add(count),
            }
        }
    }
}

/// Some rows, and what they are multiplied with.
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    pub(super) rows: &'a Rows,
    pub(super) linear: &'a Linear,
}

impl Product<'_> {
    /// What a row's sums of the outputs from `first` on become floats with. The row's inputs are less by `shift` than its bytes.
    ///
    /// # Safety
    ///
    /// The row exists, there are as many outputs as its floats are written for, and `output` has a row of them for each row.
    #[inline(always)]
    pub(super) unsafe fn finish(&self, [row, first]: [usize; 2], shift: i32, output: &mut [f32]) -> Finish {
        let Self { rows, linear } = self;
        // SAFETY: as the caller promised.
        unsafe {
            let scaling = rows.scalings.get_unchecked(row);
            Finish {
                scaling: Scaling { zero: scaling.zero - shift, ..*scaling },
                weight_sums: linear.sums.as_ptr().add(first),
                scales: linear.scales.as_ptr().add(first),
                biases: linear.biases.as_ptr().add(first),
                output: output.as_mut_ptr().add(row * linear.outputs + first),
            }
        }
    }

    /// Multiplies `ROWS` rows at a time with panels of `BLOCKS` blocks; rows that are left over at the end go in a smaller tile.
    ///
    /// # Safety
    ///
    /// As for [`Instructions`].
    #[inline(always)]
    pub(super) unsafe fn multiply<I: Instructions, const ROWS: usize, const BLOCKS: usize>(self, output: &mut [f32]) {
        const { assert!(ROWS <= 6, "every height needs its arm") };
        let (count, steps) = (self.rows.scalings.len(), self.linear.steps());
        assert!(self.linear.packing.blocks == BLOCKS && self.rows.inputs().len() == count * steps * BYTES_A_STEP);
        assert!(output.len() == count * self.linear.outputs && self.linear.outputs.is_multiple_of(LANES));
        let lengths = [self.linear.sums.len(), self.linear.scales.len(), self.linear.biases.len()];
        assert_eq!(lengths, [self.linear.outputs; 3]);
        for (number, panel) in self.linear.blocks.chunks_exact(steps * BLOCKS).enumerate() {
            for first_row in (0..count).step_by(ROWS) {
                let parts = steps.div_ceil(STEPS_A_PART);
                let ahead = Ahead::new(panel, parts * count.div_ceil(ROWS), parts * (first_row / ROWS));
                let tile = Tile { product: self, panel, ahead, first_output: number * BLOCKS * LANES, first_row };
                // SAFETY: as the caller promised; as many rows as the arm says are left, and the lengths were just checked.
                unsafe {
                    match ROWS.min(count - first_row) {
                        1 => tile.multiply::<I, 1, BLOCKS>(output),
                        2 => tile.multiply::<I, 2, BLOCKS>(output),
                        3 => tile.multiply::<I, 3, BLOCKS>(output),
                        4 => tile.multiply::<I, 4, BLOCKS>(output),
                        5 => tile.multiply::<I, 5, BLOCKS>(output),
                        _ => tile.multiply::<I, ROWS, BLOCKS>(output),
                    }
                }
            }
        }
    }
}

/// The next panel, which is brought nearer while rows go through this one, so that it is there when its turn comes. It is asked for in many
/// small parts: a processor that has to wait for more than a dozen answers stops at the next question.
pub(super) struct Ahead {
    next: *const Block,
    blocks_a_part: usize,
}

impl Ahead {
    /// In `parts` parts, of which `done` were asked for.
    #[inline(always)]
    pub(super) fn new(panel: &[Block], parts: usize, done: usize) -> Self {
        let blocks_a_part = panel.len().div_ceil(parts);
        Self { next: panel.as_ptr().wrapping_add(panel.len() + done * blocks_a_part), blocks_a_part }
    }

    /// Asks for the next part but `number`.
    #[inline(always)]
    pub(super) fn fetch(&self, number: usize) {
        for block in number * self.blocks_a_part..(number + 1) * self.blocks_a_part {
            prefetch(self.next.wrapping_add(block));
        }
    }
}

#[inline(always)]
fn prefetch(block: *const Block) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every machine has the instruction, and it ignores addresses where nothing is.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(block.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = block;
}

/// Some rows against one panel of outputs.
struct Tile<'a> {
    product: Product<'a>,
    panel: &'a [Block],
    ahead: Ahead,
    first_output: usize,
    first_row: usize,
}

impl Tile<'_> {
    /// # Safety
    ///
    /// As for [`Instructions`]; `first_row + ROWS` rows exist, the panel has `BLOCKS` blocks for each step, and `output` has a row for each.
    #[inline(always)]
    unsafe fn multiply<I: Instructions, const ROWS: usize, const BLOCKS: usize>(&self, output: &mut [f32]) {
        let Product { rows, linear } = self.product;
        let stride = linear.steps() * BYTES_A_STEP;
        // SAFETY: as the caller promised.
        let mut sums = unsafe { [[I::zero(); BLOCKS]; ROWS] };
        // SAFETY: ROWS rows of `stride` bytes start here, of which each step reads four, and the panel has BLOCKS blocks for each step.
        unsafe {
            let mut inputs = rows.inputs().as_ptr().add(self.first_row * stride);
            let mut block = self.panel.as_ptr();
            for step in 0..linear.steps() {
                if step.is_multiple_of(STEPS_A_PART) {
                    self.ahead.fetch(step / STEPS_A_PART);
                }
                let weights: [I::Weights; BLOCKS] = std::array::from_fn(|number| I::weights(block.add(number)));
                for (row, sums) in sums.iter_mut().enumerate() {
                    let inputs = I::inputs(inputs.add(row * stride));
                    for (sums, weights) in sums.iter_mut().zip(weights) {
                        *sums = I::add(*sums, inputs, weights);
                    }
                }
                block = block.add(BLOCKS);
                inputs = inputs.add(BYTES_A_STEP);
            }
        }
        // What a row's inputs are less by than its bytes.
        let shift = if linear.packing.inputs == InputForm::SignedBytes { 128 } else { 0 };
        for (row, sums) in (self.first_row..).zip(sums) {
            for (first, sums) in (self.first_output..linear.outputs).step_by(LANES).zip(sums) {
                // SAFETY: the row exists, and sixteen outputs from `first` on, since their number is a multiple of sixteen.
                unsafe { I::finish(sums, &self.product.finish([row, first], shift, output)) };
            }
        }
    }
}

//! The kernels of 64-bit ARM.
//!
//! The dot products and matrix products are written as assembler: the compiler knows these instructions, and has no stable name for them yet.

#![expect(unsafe_code, reason = "vector instructions; they are called where the machine was found to have them")]

use std::arch::{aarch64::*, asm};

use super::tile::{Finish, Instructions, Product};
use crate::model::{
    lanes::LANES,
    linear::{BYTES_A_STEP, Block},
};

/// # Safety
///
/// The machine has NEON.
pub(super) unsafe fn neon(product: Product<'_>, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe { product.multiply::<Widening, 2, 1>(output) }
}

/// # Safety
///
/// The machine has NEON with dot products.
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn dotprod(product: Product<'_>, output: &mut [f32]) {
    // SAFETY: as the caller promised.
    unsafe { product.multiply::<DotProduct, 5, 1>(output) }
}

/// Four registers of four sums each.
type Sums = [int32x4_t; 4];

#[inline(always)]
unsafe fn load(block: *const Block) -> [int8x16_t; 4] {
    // SAFETY: a block has four times sixteen bytes.
    std::array::from_fn(|quarter| unsafe { vld1q_s8(block.cast::<i8>().add(16 * quarter)) })
}

#[inline(always)]
unsafe fn finish(sums: Sums, to: &Finish) {
    for (quarter, sums) in sums.into_iter().enumerate() {
        let first = 4 * quarter;
        // SAFETY: all pointers lead to sixteen values, of which these are four.
        unsafe {
            let shift = vmulq_n_s32(vld1q_s32(to.weight_sums.add(first)), to.scaling.zero);
            let sums = vcvtq_f32_s32(vsubq_s32(sums, shift));
            let scales = vmulq_n_f32(vld1q_f32(to.scales.add(first)), to.scaling.scale);
            vst1q_f32(to.output.add(first), vaddq_f32(vmulq_f32(sums, scales), vld1q_f32(to.biases.add(first))));
        }
    }
}

/// How one step is multiplied with four outputs.
///
/// # Safety
///
/// As for [`Instructions`].
pub(super) trait Quarter {
    /// The sums of four outputs.
    type Sums: Copy;

    unsafe fn zero() -> Self::Sums;
    unsafe fn add(sums: Self::Sums, inputs: int8x16_t, weights: int8x16_t) -> Self::Sums;
    unsafe fn joined(sums: Self::Sums) -> int32x4_t;
}

impl<Q: Quarter> Instructions for Q {
    type Sums = [Q::Sums; 4];
    type Weights = [int8x16_t; 4];
    type Inputs = int8x16_t;

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { [Q::zero(); 4] }
    }

    #[inline(always)]
    unsafe fn weights(block: *const Block) -> [int8x16_t; 4] {
        // SAFETY: as above.
        unsafe { load(block) }
    }

    #[inline(always)]
    unsafe fn inputs(step: *const u8) -> int8x16_t {
        // SAFETY: a step has four bytes.
        unsafe { vreinterpretq_s8_u32(vdupq_n_u32(step.cast::<u32>().read_unaligned())) }
    }

    #[inline(always)]
    unsafe fn add(mut sums: Self::Sums, inputs: int8x16_t, weights: [int8x16_t; 4]) -> Self::Sums {
        for (sums, weights) in sums.iter_mut().zip(weights) {
            // SAFETY: as above.
            *sums = unsafe { Q::add(*sums, inputs, weights) };
        }
        sums
    }

    #[inline(always)]
    unsafe fn finish(sums: Self::Sums, to: &Finish) {
        // SAFETY: as above.
        unsafe { finish(sums.map(|sums| Q::joined(sums)), to) }
    }
}

struct DotProduct;

impl Quarter for DotProduct {
    type Sums = int32x4_t;

    #[inline(always)]
    unsafe fn zero() -> int32x4_t {
        // SAFETY: as the caller promised.
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    unsafe fn add(mut sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // SAFETY: the instruction reads and writes registers only.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sums:v}.4s, {weights:v}.16b, {inputs:v}.16b",
                sums = inout(vreg) sums, weights = in(vreg) weights, inputs = in(vreg) inputs,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sums
    }

    #[inline(always)]
    unsafe fn joined(sums: int32x4_t) -> int32x4_t {
        sums
    }
}

/// Products in 16 bits, which hold each of them, added up in pairs: two sums for each output.
struct Widening;

impl Quarter for Widening {
    type Sums = [int32x4_t; 2];

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        // SAFETY: as the caller promised; the same holds for every block below.
        unsafe { [vdupq_n_s32(0); 2] }
    }

    #[inline(always)]
    unsafe fn add([lower, upper]: Self::Sums, inputs: int8x16_t, weights: int8x16_t) -> Self::Sums {
        // SAFETY: as above.
        unsafe {
            let products = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            [vpadalq_s16(lower, products), vpadalq_s16(upper, vmull_high_s8(inputs, weights))]
        }
    }

    #[inline(always)]
    unsafe fn joined([lower, upper]: Self::Sums) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vpaddq_s32(lower, upper) }
    }
}

/// Two rows at a time: an instruction multiplies eight inputs of both with the weights of two outputs.
///
/// # Safety
///
/// The machine has NEON with matrix products.
#[target_feature(enable = "neon,i8mm")]
pub(super) unsafe fn i8mm(product: Product<'_>, output: &mut [f32]) {
    let Product { rows, linear } = product;
    let (count, steps, outputs) = (rows.scalings.len(), linear.steps(), linear.outputs);
    assert!(rows.inputs().len() == count * steps * BYTES_A_STEP && steps.is_multiple_of(2));
    assert!(output.len() == count * outputs && outputs.is_multiple_of(LANES) && linear.packing.blocks == 1);
    assert_eq!([linear.sums.len(), linear.scales.len(), linear.biases.len()], [outputs; 3]);
    for (panel, first) in linear.blocks.chunks_exact(steps).zip((0..outputs).step_by(LANES)) {
        for row in (0..count).step_by(2) {
            let pair = [row, (row + 1).min(count - 1)];
            // SAFETY: both rows exist and have `steps` steps, as has the panel.
            let sums = unsafe {
                matrix_products(pair.map(|row| rows.inputs().as_ptr().add(row * steps * BYTES_A_STEP)), panel)
            };
            for (row, sums) in (row..count).zip(sums) {
                // SAFETY: the row exists, and sixteen outputs from `first` on.
                unsafe { finish(sums, &product.finish([row, first], 0, output)) }
            }
        }
    }
}

/// The sums of two rows with the sixteen outputs of a panel.
#[inline]
#[target_feature(enable = "neon,i8mm")]
unsafe fn matrix_products(rows: [*const u8; 2], panel: &[Block]) -> [Sums; 2] {
    // For every two outputs: the sums of both with the first row, then with the second.
    let mut sums = [[vdupq_n_s32(0); 2]; 4];
    let [first, second] = rows;
    for (number, [left, right]) in panel.as_chunks::<2>().0.iter().enumerate() {
        let offset = number * 2 * BYTES_A_STEP;
        // SAFETY: eight bytes of both rows, and two blocks.
        let (inputs, left, right) =
            unsafe { (vcombine_u8(vld1_u8(first.add(offset)), vld1_u8(second.add(offset))), load(left), load(right)) };
        for ((sums, left), right) in sums.iter_mut().zip(left).zip(right) {
            let (left, right) = (vreinterpretq_s32_s8(left), vreinterpretq_s32_s8(right));
            let weights = [vzip1q_s32(left, right), vzip2q_s32(left, right)];
            for (sums, weights) in sums.iter_mut().zip(weights) {
                // SAFETY: the instruction reads and writes registers only.
                unsafe {
                    asm!(
                        ".arch_extension i8mm",
                        "usmmla {sums:v}.4s, {inputs:v}.16b, {weights:v}.16b",
                        sums = inout(vreg) *sums, inputs = in(vreg) inputs, weights = in(vreg) weights,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
            }
        }
    }
    let halves = |[left, right]: [int32x4_t; 2]| {
        let (left, right) = (vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right));
        [vzip1q_s64(left, right), vzip2q_s64(left, right)].map(|half| vreinterpretq_s32_s64(half))
    };
    let [[a, e], [b, f], [c, g], [d, h]] = sums.map(halves);
    [[a, b, c, d], [e, f, g, h]]
}

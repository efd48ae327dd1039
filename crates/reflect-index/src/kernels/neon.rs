//! NEON, with and without its dot product of bytes.
//!
//! Products of small matrices (i8mm) are no gain here: there is one task at a time, and half of such a product would be thrown away.
#![expect(unsafe_code, reason = "vector instructions; each use says why it is sound")]

use std::arch::{aarch64::*, asm};

use reflect_core::Kernel;

use super::{Kernels, plain};
use crate::nibbles::{GROUP, GROUP_BYTES};

/// The table of a kernel that this processor can run.
pub(super) fn table(kernel: Kernel) -> Option<&'static Kernels> {
    let table = match kernel {
        Kernel::NeonI8mm | Kernel::NeonDotprod => &DOTPROD,
        Kernel::Neon => &NEON,
        _ => return None,
    };
    kernel.is_available().then_some(table)
}

static DOTPROD: Kernels = Kernels {
    // SAFETY: `table` hands this table out only where the processor has dot products.
    sums: |rows, task, sums| unsafe { sums_of(rows, task, sums, |sum, row, task| dot_products(sum, row, task)) },
    ..plain::KERNELS
};

static NEON: Kernels = Kernels {
    // SAFETY: every processor that this is compiled for has NEON.
    sums: |rows, task, sums| unsafe { sums_of(rows, task, sums, |sum, row, task| widened_products(sum, row, task)) },
    ..plain::KERNELS
};

/// # Safety
///
/// The processor has the instructions of `add`.
#[inline(always)]
unsafe fn sums_of(
    rows: &[u8],
    task: &[i8],
    sums: &mut [i32],
    add: impl Fn(int32x4_t, [int8x16_t; 2], [int8x16_t; 2]) -> int32x4_t,
) {
    for (row, sum) in rows.chunks_exact((task.len() / 2).max(1)).zip(sums) {
        // SAFETY: a group's row has 64 bytes and its task twice as many, of which each part reads sixteen.
        unsafe {
            let mut parts = vdupq_n_s32(0);
            for (bytes, task) in row.as_chunks::<GROUP_BYTES>().0.iter().zip(task.as_chunks::<GROUP>().0) {
                for start in (0..GROUP_BYTES).step_by(16) {
                    let bytes = vld1q_u8(bytes.as_ptr().add(start));
                    let (lower, upper) = (vandq_u8(bytes, vdupq_n_u8(0x0F)), vshrq_n_u8::<4>(bytes));
                    let task = [start, GROUP_BYTES + start].map(|start| vld1q_s8(task.as_ptr().add(start)));
                    parts = add(parts, [lower, upper].map(|half| vreinterpretq_s8_u8(half)), task);
                }
            }
            *sum = vaddvq_s32(parts);
        }
    }
}

#[inline(always)]
fn dot_products(mut sum: int32x4_t, row: [int8x16_t; 2], task: [int8x16_t; 2]) -> int32x4_t {
    for (row, task) in row.into_iter().zip(task) {
        // SAFETY: the instruction reads and writes registers only; its table is used where the processor has it.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sum:v}.4s, {row:v}.16b, {task:v}.16b",
                sum = inout(vreg) sum, row = in(vreg) row, task = in(vreg) task,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
    }
    sum
}

/// Four products of 15 · 128 at most are added up in 16 bits, then two such sums.
#[inline(always)]
fn widened_products(sum: int32x4_t, [lower, upper]: [int8x16_t; 2], [first, second]: [int8x16_t; 2]) -> int32x4_t {
    // SAFETY: every processor that this is compiled for has NEON.
    unsafe {
        let products = vmull_s8(vget_low_s8(lower), vget_low_s8(first));
        let products = vmlal_high_s8(products, lower, first);
        let products = vmlal_s8(products, vget_low_s8(upper), vget_low_s8(second));
        vpadalq_s16(sum, vmlal_high_s8(products, upper, second))
    }
}

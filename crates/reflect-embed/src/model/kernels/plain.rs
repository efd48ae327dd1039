//! Plain loops: for machines without a kernel of their own, and the measure of all others.

use super::tile::Product;
use crate::model::{
    lanes::LANES,
    linear::{BYTES_A_STEP, Linear},
    math::Scaling,
};

pub(super) fn multiply(product: Product<'_>, output: &mut [f32]) {
    let Product { rows, linear } = product;
    let inputs = rows.inputs().chunks_exact(linear.inputs).zip(&rows.scalings);
    for ((inputs, scaling), output) in inputs.zip(output.chunks_exact_mut(linear.outputs)) {
        let panels = linear.blocks.chunks_exact(linear.steps()).zip(output.chunks_exact_mut(LANES));
        for (number, (panel, output)) in panels.enumerate() {
            let mut sums = [0_i32; LANES];
            for (inputs, block) in inputs.as_chunks::<BYTES_A_STEP>().0.iter().zip(panel) {
                for (sum, weights) in sums.iter_mut().zip(&block.0) {
                    for (input, weight) in inputs.iter().zip(weights) {
                        *sum = sum.wrapping_add(i32::from(*input) * i32::from(weight.cast_signed()));
                    }
                }
            }
            finish(linear, number * LANES, *scaling, &sums, output);
        }
    }
}

/// Sums into floats, for the sixteen outputs from `first` on.
fn finish(linear: &Linear, first: usize, scaling: Scaling, sums: &[i32; LANES], output: &mut [f32]) {
    let of_outputs = first..first + LANES;
    let (Some(weights), Some(scales), Some(biases)) =
        (linear.sums.get(of_outputs.clone()), linear.scales.get(of_outputs.clone()), linear.biases.get(of_outputs))
    else {
        return;
    };
    let per_output = weights.iter().zip(scales).zip(biases);
    for ((output, sum), ((weights, scale), bias)) in output.iter_mut().zip(sums).zip(per_output) {
        *output = sum.wrapping_sub(scaling.zero.wrapping_mul(*weights)) as f32 * (scaling.scale * scale) + bias;
    }
}

//! Plain loops: for machines without a kernel of their own, and the measure of all others.

use crate::model::{
    linear::{BLOCKS_A_PANEL, INPUTS_A_STEP, Linear, OUTPUTS_A_PANEL, Rows},
    math::{LANES, Scaling},
};

pub(super) fn multiply(rows: &Rows, linear: &Linear, output: &mut [f32]) {
    let panel_length = linear.steps() * BLOCKS_A_PANEL;
    let outputs = rows.bytes.chunks_exact(rows.width).zip(&rows.scalings).zip(output.chunks_exact_mut(linear.outputs));
    for ((bytes, scaling), output) in outputs {
        let panels = linear.blocks.chunks_exact(panel_length).zip(output.chunks_mut(OUTPUTS_A_PANEL));
        for (panel_number, (panel, output)) in panels.enumerate() {
            for (block_number, output) in output.chunks_exact_mut(LANES).enumerate() {
                let mut sums = [0_i32; LANES];
                let blocks = panel.iter().skip(block_number).step_by(BLOCKS_A_PANEL);
                for (inputs, block) in bytes.as_chunks::<INPUTS_A_STEP>().0.iter().zip(blocks) {
                    for (sum, weights) in sums.iter_mut().zip(&block.0) {
                        for (input, weight) in inputs.iter().zip(weights) {
                            *sum += i32::from(*input) * i32::from(*weight);
                        }
                    }
                }
                let first = panel_number * OUTPUTS_A_PANEL + block_number * LANES;
                finish(linear, first, *scaling, &sums, output);
            }
        }
    }
}

/// Sums into floats, for the sixteen outputs from `first` on.
pub(super) fn finish(linear: &Linear, first: usize, scaling: Scaling, sums: &[i32; LANES], output: &mut [f32]) {
    let per_output = linear.sums.iter().zip(&linear.scales).zip(&linear.biases).skip(first);
    for ((output, sum), ((weights, scale), bias)) in output.iter_mut().zip(sums).zip(per_output) {
        *output = (sum - scaling.zero * weights) as f32 * (scaling.scale * scale) + bias;
    }
}

//! Multiplying rows of bytes with int8 matrices, in the widest instructions that the machine has.
//!
//! The sums are whole numbers, so every kernel gets the same ones; turning a sum into a float is one subtraction, one
//! multiplication and one addition, in that order, everywhere. To add a kernel, implement [`tile::Instructions`], say in [`packing`] how
//! its weights and rows lie in memory, and the test below holds it against the plain one.

#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_registers;
#[cfg(target_arch = "x86_64")]
mod x86_words;

use reflect_core::Kernel;

use super::linear::{InputForm, Linear, Packing, Rows};
use tile::Product;

/// Blocks of sixteen outputs that kernels with 32 wide registers work together.
const WIDE_BLOCKS: usize = 4;

/// How a kernel wants weights and rows to lie in memory.
pub(super) fn packing(kernel: Kernel) -> Packing {
    let (inputs, blocks) = match kernel {
        Kernel::Avx512Vnni => (InputForm::Bytes, WIDE_BLOCKS),
        Kernel::Avx512 => (InputForm::SevenBits, 4),
        Kernel::Avx2 => (InputForm::SevenBits, 2),
        Kernel::Neon | Kernel::NeonDotprod => (InputForm::SignedBytes, 1),
        Kernel::AvxVnni | Kernel::NeonI8mm | Kernel::Plain => (InputForm::Bytes, 1),
    };
    Packing { inputs, blocks }
}

/// Puts rows through a matrix: `output` gets one row of floats for each row of bytes.
#[expect(unsafe_code, reason = "calling code that was compiled for more than every machine has")]
pub(super) fn multiply(kernel: Kernel, rows: &mut Rows, linear: &Linear, output: &mut Vec<f32>) {
    output.resize(rows.scalings.len() * linear.outputs, 0.0);
    if rows.width != linear.inputs || linear.packing != packing(kernel) {
        // A model is checked when it is read, so widths always fit; a kernel must not have to trust that.
        output.fill(0.0);
        return;
    }
    rows.prepare(linear.packing.inputs);
    assert!(kernel.is_available(), "the kernel is only picked where it can run");
    // SAFETY: the machine was just found to have the kernel's instructions.
    unsafe {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => x86::avx512_vnni(Product { rows, linear }, output),
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => x86::avx_vnni(Product { rows, linear }, output),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => x86_words::avx512(rows, linear, output),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => x86_words::avx2(rows, linear, output),
            #[cfg(target_arch = "aarch64")]
            Kernel::NeonI8mm => neon::i8mm(Product { rows, linear }, output),
            #[cfg(target_arch = "aarch64")]
            Kernel::NeonDotprod => neon::dotprod(Product { rows, linear }, output),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::neon(Product { rows, linear }, output),
            _ => plain::multiply(Product { rows, linear }, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{
        lanes::Plain,
        math::{Math, Scaling},
    };

    /// Weights and rows are drawn from these often: where they meet, sums are as large as they get.
    const EXTREMES: [i8; 4] = [-128, -127, 127, 126];

    struct Matrix {
        weights: Vec<i8>,
        scales: Vec<f32>,
        biases: Vec<f32>,
    }

    impl Matrix {
        fn packed(&self, kernel: Kernel) -> Linear {
            Linear::pack(&self.weights, self.scales.clone(), self.biases.clone(), packing(kernel)).unwrap()
        }
    }

    fn matrix(inputs: usize, outputs: usize, seed: u64) -> Matrix {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as i32 & 0xFFFF
        };
        let mut weight = || match next() {
            extreme if extreme % 3 == 0 => EXTREMES[extreme as usize / 3 % 4],
            other => other as i8,
        };
        let weights: Vec<i8> = (0..inputs * outputs).map(|_| weight()).collect();
        let scales = (0..outputs).map(|_| next() as f32 / 1e7).collect();
        let biases = (0..outputs).map(|_| next() as f32 / 1e5).collect();
        Matrix { weights, scales, biases }
    }

    fn product(kernel: Kernel, rows: &mut Rows, matrix: &Matrix) -> Vec<u32> {
        let mut output = Vec::new();
        multiply(kernel, rows, &matrix.packed(kernel), &mut output);
        output.into_iter().map(f32::to_bits).collect()
    }

    proptest! {
        #[test]
        fn all_kernels_give_the_same_bits(
            count in 1_usize..20,
            inputs in 1_usize..12,
            outputs in 1_usize..12,
            seed in any::<u64>(),
            floats in prop::collection::vec(prop_oneof![-9.0_f32..9.0, Just(-9.0), Just(9.0)], 20 * 12 * 16),
        ) {
            let matrix = matrix(inputs * 16, outputs * 16, seed);
            let mut rows = Rows::default();
            rows.fill(Math(Plain), &floats[..count * inputs * 16], inputs * 16);
            let plain = product(Kernel::Plain, &mut rows, &matrix);
            for kernel in Kernel::available() {
                prop_assert_eq!(&plain, &product(kernel, &mut rows, &matrix), "{:?}", kernel);
            }
        }

        #[test]
        fn the_product_is_what_it_should_be(
            floats in prop::collection::vec(-3.0_f32..3.0, 32),
            seed in any::<u64>(),
        ) {
            let weights: Vec<i8> = (0..32 * 16).map(|index| (seed >> (index % 57)) as i8).collect();
            let matrix = Matrix { weights, scales: vec![0.01; 16], biases: vec![0.5; 16] };
            let mut rows = Rows::default();
            rows.fill(Math(Plain), &floats, 32);
            let output = product(Kernel::in_use(), &mut rows, &matrix);
            for (row, output) in matrix.weights.chunks_exact(32).zip(output.into_iter().map(f32::from_bits)) {
                let exact: f32 = row.iter().zip(&floats).map(|(weight, value)| f32::from(*weight) * 0.01 * value).sum();
                prop_assert!((exact + 0.5 - output).abs() < 0.5, "{} and not {}", output, exact + 0.5);
            }
        }
    }

    /// Every byte of a row with every weight.
    #[test]
    fn every_product_of_two_bytes_is_right_in_every_kernel() {
        let matrix = Matrix {
            weights: (0..256 * 16).map(|index: usize| (index / 16) as u8 as i8).collect(),
            scales: vec![1.0; 256],
            biases: vec![0.0; 256],
        };
        for kernel in Kernel::available() {
            let linear = matrix.packed(kernel);
            let (mut rows, mut output) = (Rows::default(), Vec::new());
            rows.clear(16);
            for input in -128_i8..=127 {
                rows.push(&[input; 16], 1.0);
            }
            multiply(kernel, &mut rows, &linear, &mut output);
            for (input, outputs) in (-128_i32..).zip(output.chunks_exact(256)) {
                for (weight, output) in (0..256).zip(outputs) {
                    assert_eq!(*output, (16 * input * i32::from(weight as u8 as i8)) as f32, "{kernel:?}");
                }
            }
        }
    }

    /// Rows of the least and the greatest inputs that a kernel puts into seven bits and of the first beyond, with weights whose products
    /// fill 16 bits to the last; and rows of 45 and −45, eight steps of
    /// which fit 16 bits with weights of 45, but not with 46.
    #[test]
    fn sums_at_the_edge_of_sixteen_bits_are_right_in_every_kernel() {
        let mut rows = Rows::default();
        rows.clear(48);
        let mut push = |zero: i32, input: i32| {
            rows.bytes.extend([(zero + input).clamp(0, 255) as u8; 48]);
            rows.scalings.push(Scaling { scale: 1.0, zero });
        };
        for zero in [0, 1, 62, 63, 64, 65, 127, 128, 190, 191, 192, 193, 254, 255] {
            for input in [-255, -65, -64, -63, 0, 63, 64, 65, 255] {
                push(zero, input);
            }
        }
        for zero in [50, 128] {
            for input in [45, -45, 45, 45, -45, -45, 45, -45] {
                push(zero, input);
            }
        }
        let patterns: [[i8; 8]; 9] = [
            [-128; 8],
            [127; 8],
            [64; 8],
            [45; 8],
            [46; 8],
            [-46; 8],
            [-128, 127, -128, 127, 127, -128, 127, -128],
            [127, 127, 127, 127, 4, 0, 2, 2],
            [-128, -128, -128, -128, -2, 0, -1, -1],
        ];
        for pattern in patterns {
            let weights = pattern.repeat(16 * 48 / 8);
            let matrix = Matrix { weights, scales: vec![1.0; 16], biases: vec![0.0; 16] };
            let plain = product(Kernel::Plain, &mut rows, &matrix);
            for kernel in Kernel::available() {
                assert_eq!(plain, product(kernel, &mut rows, &matrix), "{kernel:?} with {pattern:?}");
            }
        }
    }
}

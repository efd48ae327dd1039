//! Multiplying rows of bytes with int8 matrices, in the widest instructions that the machine has.
//!
//! The sums are whole numbers, so every kernel gets the same ones; turning a sum into a float is one subtraction, one
//! multiplication and one addition, in that order, everywhere. To add a kernel (NEON, say), put it in a file of its own,
//! give it a variant in [`Kernel`], and the test below holds it against the plain one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;

use super::linear::{Linear, Rows};

/// A way to multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// AVX-512 with its dot product of bytes (VNNI): 64 products an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2: 16 products an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes of plain loops.
    Plain,
}

impl Kernel {
    /// The kernels that this machine can run, best first.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let best = [
            (Self::Avx512, avx512::is_available()),
            (Self::Avx2, std::arch::is_x86_feature_detected!("avx2")),
            (Self::Plain, true),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let best = [(Self::Plain, true)];
        best.into_iter().filter(|(_, available)| *available).map(|(kernel, _)| kernel)
    }

    /// The best one.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Self::Plain)
    }

    /// Puts rows through a matrix: `output` gets one row of floats for each row of bytes.
    pub(super) fn multiply(self, rows: &Rows, linear: &Linear, output: &mut Vec<f32>) {
        output.resize(rows.scalings.len() * linear.outputs, 0.0);
        if rows.width != linear.inputs {
            // A model is checked when it is read, so widths always fit; a kernel must not have to trust that.
            output.fill(0.0);
            return;
        }
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::multiply(rows, linear, output),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::multiply(rows, linear, output),
            Self::Plain => plain::multiply(rows, linear, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn linear(inputs: usize, outputs: usize, seed: u64) -> Linear {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as i32 & 0xFFFF
        };
        let weights: Vec<i8> = (0..inputs * outputs).map(|_| (next() % 255 - 127) as i8).collect();
        let scales = (0..outputs).map(|_| next() as f32 / 1e7).collect();
        let biases = (0..outputs).map(|_| next() as f32 / 1e5).collect();
        Linear::pack(&weights, scales, biases).unwrap()
    }

    proptest! {
        #[test]
        fn all_kernels_give_the_same_bits(
            rows in 1_usize..20,
            inputs in 1_usize..12,
            outputs in 1_usize..12,
            seed in any::<u64>(),
            floats in prop::collection::vec(-9.0_f32..9.0, 20 * 12 * 16),
        ) {
            let linear = linear(inputs * 16, outputs * 16, seed);
            let mut bytes = Rows::default();
            bytes.fill(&floats[..rows * inputs * 16], inputs * 16);
            let (mut plain, mut other) = (Vec::new(), Vec::new());
            Kernel::Plain.multiply(&bytes, &linear, &mut plain);
            for kernel in Kernel::available() {
                kernel.multiply(&bytes, &linear, &mut other);
                prop_assert_eq!(&plain, &other, "{:?}", kernel);
            }
        }

        #[test]
        fn the_product_is_what_it_should_be(
            floats in prop::collection::vec(-3.0_f32..3.0, 32),
            seed in any::<u64>(),
        ) {
            let weights: Vec<i8> = (0..32 * 16).map(|index| (seed >> (index % 57)) as i8).collect();
            let linear = Linear::pack(&weights, vec![0.01; 16], vec![0.5; 16]).unwrap();
            let (mut rows, mut output) = (Rows::default(), Vec::new());
            rows.fill(&floats, 32);
            Kernel::best().multiply(&rows, &linear, &mut output);
            for (row, output) in weights.chunks_exact(32).zip(&output) {
                let exact: f32 = row.iter().zip(&floats).map(|(weight, value)| f32::from(*weight) * 0.01 * value).sum();
                prop_assert!((exact + 0.5 - output).abs() < 0.5, "{} and not {}", output, exact + 0.5);
            }
        }
    }
}

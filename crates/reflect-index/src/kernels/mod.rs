//! The few loops that a query's time goes into, compiled for what the processor at hand can do.
//!
//! Every operation exists once as a plain function, which is what it means, and again for wider registers. Integer sums
//! are exact and the order of float additions is fixed, so all of them give the same answer to the bit; a test holds each against
//! the plain one. To add an architecture, add a file like `x86.rs` and ask it in [`Kernels::of`].
//!
//! This is the only folder of the crate with unsafe code: wide registers cannot be reached without it.

#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::LazyLock;

use reflect_core::Kernel;

use crate::encoding::VectorView;

/// What a row of a block adds to its score, and what it cost to round it.
pub(crate) struct Scalars<'a> {
    pub(crate) steps: &'a [f32],
    pub(crate) errors: &'a [f32],
    pub(crate) utilities: &'a [f32],
}

/// How a block's integers become bounds on scores; see [`crate::bounds::Bounds`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoreTerms {
    pub(crate) dot: f32,
    pub(crate) similarity: f32,
    pub(crate) error: f32,
    pub(crate) utility: f32,
    pub(crate) slack: f32,
}

impl ScoreTerms {
    /// The similarity that a dot product with part of a row stands for.
    #[inline(always)]
    pub(crate) fn similarity_of(&self, dot: i32, step: f32) -> f32 {
        (dot as f32 * (step * self.dot)).clamp(-1.0, 1.0)
    }

    /// The highest score that such a similarity allows.
    #[inline(always)]
    pub(crate) fn highest_score(&self, similarity: f32, utility: f32, error: f32) -> f32 {
        similarity * self.similarity + utility * self.utility + (error * self.error + self.slack)
    }
}

/// One implementation of each operation.
pub(crate) struct Kernels {
    /// The dot products of consecutive rows of four bits with eight bits of a task; see [`crate::nibbles`].
    pub(crate) sums: fn(&[u8], &[i8], &mut [i32]),
    /// Asks for so many bytes that are read soon.
    prefetch: fn(*const u8, usize),
    /// The highest score that each row may have, from its dot product.
    pub(crate) highest_scores: fn(&[i32], &Scalars<'_>, &ScoreTerms, &mut [f32]),
    /// A row as the floats that it stands for.
    pub(crate) restore: fn(&VectorView<'_>, &mut [f32]),
    /// [`reflect_core::cosine`].
    pub(crate) cosine: fn(&[f32], &[f32]) -> f64,
}

impl Kernels {
    /// Those of the kernel that this process computes with.
    pub(crate) fn best() -> &'static Self {
        static IN_USE: LazyLock<&'static Kernels> = LazyLock::new(|| Kernels::of(Kernel::in_use()));
        *IN_USE
    }

    /// Asks for values that are read soon.
    pub(crate) fn prefetch<T>(&self, values: &[T]) {
        (self.prefetch)(values.as_ptr().cast(), size_of_val(values));
    }

    /// Those of a kernel; the plain ones where this processor cannot run it.
    pub(crate) fn of(kernel: Kernel) -> &'static Self {
        #[cfg(target_arch = "x86_64")]
        let table = x86::table(kernel);
        #[cfg(target_arch = "aarch64")]
        let table = neon::table(kernel);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let table = {
            let _ = kernel;
            None
        };
        table.unwrap_or(&plain::KERNELS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        encoding::EncodedRow,
        nibbles::{GROUP, GROUP_BYTES},
        task::RoundedTask,
    };

    fn vectors(dimension: usize, count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        let value = prop_oneof![4 => -1.0..=1.0_f32, 1 => Just(0.0), 1 => Just(1.0), 1 => Just(-1.0)];
        prop::collection::vec(prop::collection::vec(value, dimension), count)
    }

    proptest! {
        #[test]
        fn every_implementation_gives_what_the_plain_one_gives(
            (task, rows) in (1..400_usize, 1..12_usize).prop_flat_map(|(dimension, count)| {
                (vectors(dimension, 1).prop_map(|mut one| one.remove(0)), vectors(dimension, count))
            })
        ) {
            let encoded: Vec<EncodedRow> = rows.iter().map(|row| EncodedRow::encode(row).unwrap()).collect();
            let sketches: Vec<u8> = encoded.iter().flat_map(|row| row.sketch.iter().copied()).collect();
            let rounded = RoundedTask::new(&task).unwrap();
            let steps: Vec<f32> = encoded.iter().map(|row| row.step).collect();
            let errors: Vec<f32> = encoded.iter().map(|row| row.sketch_error).collect();
            let scalars = Scalars { steps: &steps, errors: &errors, utilities: &errors };
            let terms = ScoreTerms { dot: 0.01, similarity: 0.4, error: 0.3, utility: 0.6, slack: 1e-5 };
            let results = Kernel::available().map(|kernel| {
                let kernels = Kernels::of(kernel);
                let mut sums = vec![0; rows.len()];
                (kernels.sums)(&sketches, &rounded.units, &mut sums);
                let mut highest = vec![0.0; rows.len()];
                (kernels.highest_scores)(&sums, &scalars, &terms, &mut highest);
                let restored: Vec<Vec<u32>> = encoded.iter().map(|row| {
                    let mut floats = vec![0.0; task.len()];
                    (kernels.restore)(&row.view(), &mut floats);
                    floats.iter().map(|value| value.to_bits()).collect()
                }).collect();
                let cosines: Vec<u64> = rows.iter().map(|row| (kernels.cosine)(row, &task).to_bits()).collect();
                let highest: Vec<u32> = highest.iter().map(|value| value.to_bits()).collect();
                (kernel.name(), sums, highest, restored, cosines)
            }).collect::<Vec<_>>();
            let plain = results.last().unwrap();
            for other in &results {
                prop_assert_eq!(&other.1, &plain.1, "sums of {}", other.0);
                prop_assert_eq!(&other.2, &plain.2, "highest scores of {}", other.0);
                prop_assert_eq!(&other.3, &plain.3, "restored by {}", other.0);
                prop_assert_eq!(&other.4, &plain.4, "cosines of {}", other.0);
            }
            // The sum itself, coordinate by coordinate.
            for (row, found) in encoded.iter().zip(&plain.1) {
                let nibble = |coordinate: usize| {
                    let byte = row.sketch[coordinate / GROUP * GROUP_BYTES + coordinate % GROUP_BYTES];
                    i64::from(if coordinate % GROUP < GROUP_BYTES { byte & 15 } else { byte >> 4 })
                };
                let sum: i64 = (0..rounded.units.len()).map(|coordinate| nibble(coordinate) * i64::from(rounded.units[coordinate])).sum();
                prop_assert_eq!(sum, i64::from(*found));
            }
        }
    }

    /// Sums as large as they get, in dimensions that narrow ones cannot hold.
    #[test]
    fn the_largest_sums_are_right_in_every_implementation() {
        for groups in 1..12 {
            for unit in [-128, 127] {
                let (rows, task) = (vec![0xFF; 5 * groups * GROUP_BYTES], vec![unit; groups * GROUP]);
                for kernel in Kernel::available() {
                    let mut sums = [0; 5];
                    (Kernels::of(kernel).sums)(&rows, &task, &mut sums);
                    let expected = 15 * i32::from(unit) * (groups * GROUP) as i32;
                    assert_eq!(sums, [expected; 5], "{} groups by {}", groups, kernel.name());
                }
            }
        }
    }
}

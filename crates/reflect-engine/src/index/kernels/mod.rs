//! The few loops that a query's time goes into, compiled for what the processor at hand can do.
//!
//! Every operation exists once as a plain function, which is what it means, and again for wider registers. Integer sums
//! are exact and the order of float additions is fixed, so all of them give the same answer to the bit; a test holds each against
//! the plain one. To add an architecture, add a file like `x86.rs` and name its table in [`Kernels::all`], best first.
//!
//! This is the only place in the engine with unsafe code: wide registers cannot be reached without it.

mod large_pages;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::LazyLock;

use super::task::TaskPlanes;

pub(crate) use large_pages::LargePages;

/// Rows are padded to a multiple of this many coordinates, the bytes of the widest register.
pub(crate) const LANES: usize = 64;

/// What a row of a block adds to its score, and what it cost to round it.
pub(crate) struct Scalars<'a> {
    pub(crate) steps: &'a [f32],
    pub(crate) errors: &'a [f32],
    pub(crate) utilities: &'a [f32],
}

/// How a block's integers become bounds on scores; see [`super::bounds::Bounds`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoreTerms {
    pub(crate) dot: f32,
    pub(crate) similarity: f32,
    pub(crate) error: f32,
    pub(crate) utility: f32,
    pub(crate) slack: f32,
}

/// One implementation of each operation.
pub(crate) struct Kernels {
    pub(crate) name: &'static str,
    /// The dot products of consecutive coarse rows with a task.
    pub(crate) dots: fn(&[u8], &TaskPlanes, &mut [i32]),
    /// Asks for the first of the rows that come next.
    pub(crate) prefetch: fn(&[u8]),
    /// The highest score that each row may have, from its dot product.
    pub(crate) highest_scores: fn(&[i32], &Scalars<'_>, &ScoreTerms, &mut [f32]),
    /// A row as the floats that it stands for.
    pub(crate) restore: fn(&[u8], &[i16], f32, &mut [f32]),
    /// [`reflect_core::cosine`].
    pub(crate) cosine: fn(&[f32], &[f32]) -> f64,
}

impl Kernels {
    /// The best ones for this processor, chosen once.
    pub(crate) fn best() -> &'static Self {
        static BEST: LazyLock<&'static Kernels> =
            LazyLock::new(|| Kernels::all().first().copied().unwrap_or(&plain::KERNELS));
        *BEST
    }

    /// All that this processor can run, best first.
    pub(crate) fn all() -> Vec<&'static Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        all.extend(x86::available());
        all.push(&plain::KERNELS);
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::encoding::EncodedRow, *};

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
            let coarse: Vec<u8> = encoded.iter().flat_map(|row| row.coarse.iter().copied()).collect();
            let planes = TaskPlanes::new(&task).unwrap();
            let steps: Vec<f32> = encoded.iter().map(|row| row.step).collect();
            let errors: Vec<f32> = encoded.iter().map(|row| row.error).collect();
            let scalars = Scalars { steps: &steps, errors: &errors, utilities: &errors };
            let terms = ScoreTerms { dot: 0.01, similarity: 0.4, error: 0.3, utility: 0.6, slack: 1e-5 };
            let results = Kernels::all().into_iter().map(|kernels| {
                let mut dots = vec![0; rows.len()];
                (kernels.dots)(&coarse, &planes, &mut dots);
                let mut highest = vec![0.0; rows.len()];
                (kernels.highest_scores)(&dots, &scalars, &terms, &mut highest);
                let restored: Vec<Vec<u32>> = encoded.iter().map(|row| {
                    let mut floats = vec![0.0; task.len()];
                    (kernels.restore)(&row.coarse, &row.fine, row.step, &mut floats);
                    floats.iter().map(|value| value.to_bits()).collect()
                }).collect();
                let cosines: Vec<u64> = rows.iter().map(|row| (kernels.cosine)(row, &task).to_bits()).collect();
                let highest: Vec<u32> = highest.iter().map(|value| value.to_bits()).collect();
                (kernels.name, dots, highest, restored, cosines)
            }).collect::<Vec<_>>();
            let plain = results.last().unwrap();
            for other in &results {
                prop_assert_eq!(&other.1, &plain.1, "dots of {}", other.0);
                prop_assert_eq!(&other.2, &plain.2, "highest scores of {}", other.0);
                prop_assert_eq!(&other.3, &plain.3, "restored by {}", other.0);
                prop_assert_eq!(&other.4, &plain.4, "cosines of {}", other.0);
            }
            // The sum itself, in integers that cannot overflow.
            for (row, dot) in encoded.iter().zip(&plain.1) {
                let sum: i64 = row.coarse.iter().zip(&planes.wide).map(|(q, t)| (i64::from(*q) - 128) * i64::from(*t)).sum();
                prop_assert_eq!(sum, i64::from(*dot));
            }
        }
    }
}

//! Vectors and what may be compared with what.

use serde::{Deserialize, Serialize};

/// Names the embedder that made a vector, with everything that must be equal for two vectors to be comparable:
/// family, version and dimension, as in `hashing-v1-256`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmbedderId(pub String);

impl EmbedderId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for EmbedderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The cosine of two vectors of length one: their dot product, kept in [−1, 1]. Vectors of different dimensions are
/// never compared; should it happen all the same, the shared leading part is what counts.
///
/// The order of the additions is fixed, and nothing is fused, so the answer is the same to the bit on every machine.
// Inlined so that a caller compiled for wider registers gets it in wider registers.
#[inline(always)]
pub fn cosine(left: &[f32], right: &[f32]) -> f64 {
    // Thirty-two sums side by side, which a compiler can keep in vector registers; one running sum it may not reorder.
    let mut sums = [0.0_f32; 32];
    let (left_blocks, left_rest) = left.as_chunks::<32>();
    let (right_blocks, right_rest) = right.as_chunks::<32>();
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += a * b;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    let [sum] = folded(&folded::<2>(&folded::<4>(&folded::<8>(&folded::<16>(&sums)))));
    f64::from(sum + rest).clamp(-1.0, 1.0)
}

/// The first half added to the second.
#[inline(always)]
fn folded<const HALF: usize>(sums: &[f32]) -> [f32; HALF] {
    let (lower, upper) = sums.split_at(HALF);
    let mut half = [0.0; HALF];
    for ((sum, a), b) in half.iter_mut().zip(lower).zip(upper) {
        *sum = a + b;
    }
    half
}

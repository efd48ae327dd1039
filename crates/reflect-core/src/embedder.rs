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
pub fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
    f64::from(dot).clamp(-1.0, 1.0)
}

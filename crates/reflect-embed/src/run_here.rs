//! A model of this process, with what goes around it.

use std::sync::Arc;

use crate::{BatchingEmbedder, CachedEmbedder, Embedder, ModelEmbedder};

/// How much memory the vectors of repeated texts may take.
pub const CACHE_BYTES: usize = 16 << 20;

/// How many texts of several callers go through a model together.
pub const JOINED_TEXTS: usize = 32;

/// A model of this process: whoever asks while all cores are busy goes through it together with the others that wait, and
/// repeated texts are remembered.
pub fn run_here(model: ModelEmbedder) -> Arc<dyn Embedder> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let batching = BatchingEmbedder::new(model, JOINED_TEXTS, cores);
    Arc::new(CachedEmbedder::new(batching, CACHE_BYTES))
}

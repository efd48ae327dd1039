//! A model of this process, with what goes around it.

use std::{sync::Arc, time::Duration};

use crate::{BatchLimits, BatchingEmbedder, CachedEmbedder, Embedder, ModelEmbedder, model::TOKENS_A_BATCH};

/// How much memory the vectors of repeated texts may take.
pub const CACHE_BYTES: usize = 16 << 20;

/// What goes through a model together, and what may wait for it: sixteen tasks of the largest size, or several hundred of the
/// usual one, for each caller. A batch is no larger than what the model reads in one go: more would be no faster, and a question
/// would wait for everybody's lessons.
pub const LIMITS: BatchLimits = BatchLimits {
    texts: 32,
    tokens: TOKENS_A_BATCH,
    text_tokens: 2_048,
    waiting_tokens: 32_768,
    longest_wait: Duration::from_secs(10),
};

/// A model of this process: whoever asks while all cores are busy goes through it together with the others that wait, and
/// repeated texts are remembered.
pub fn run_here(model: ModelEmbedder) -> Arc<dyn Embedder> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let batching = BatchingEmbedder::new(model, LIMITS, cores);
    Arc::new(CachedEmbedder::new(batching, CACHE_BYTES))
}

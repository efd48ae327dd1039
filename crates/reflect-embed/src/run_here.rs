//! A model of this process, with what goes around it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use reflect_core::EmbedderId;

use crate::{
    BatchLimits, BatchingEmbedder, CachedEmbedder, Caller, EmbedError, Embedder, ModelEmbedder, Urgency,
    model::TOKENS_A_BATCH, model_embedder::cores,
};

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

/// A model of this process: whoever asks while all cores are busy goes through it together with the others that wait, what nobody waits for lets
/// others go first, and repeated texts are remembered.
pub fn run_here(model: ModelEmbedder) -> Arc<dyn Embedder> {
    let background = BatchingEmbedder::new(model.in_background(), LIMITS, cores());
    let asked = BatchingEmbedder::new(model, LIMITS, cores());
    Arc::new(CachedEmbedder::new(ByUrgency { asked, background }, CACHE_BYTES))
}

/// Two queues before one model.
struct ByUrgency {
    asked: BatchingEmbedder<ModelEmbedder>,
    background: BatchingEmbedder<ModelEmbedder>,
}

#[async_trait]
impl Embedder for ByUrgency {
    fn id(&self) -> EmbedderId {
        self.asked.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.asked.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.embed(texts).await
    }

    async fn embed_for(&self, caller: Caller<'_>, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match caller.urgency {
            Urgency::Asked => self.asked.embed_for(caller, texts).await,
            Urgency::Background => self.background.embed_for(caller, texts).await,
        }
    }
}

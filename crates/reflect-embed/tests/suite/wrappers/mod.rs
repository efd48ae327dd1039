//! The wrappers around an embedder: what is asked twice, what is asked at once, and who goes away in the middle.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions fail tests by panicking")]

mod batching;
mod cached;
mod redacting;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflect_core::EmbedderId;
use reflect_embed::{EmbedError, Embedder, HashingEmbedder};
use tokio::sync::Semaphore;

/// Hashing that writes down what it was asked, serves a call for each permit, and refuses `poison`.
pub(crate) struct Recording {
    pub(crate) calls: Mutex<Vec<Vec<String>>>,
    pub(crate) permits: Semaphore,
}

impl Recording {
    pub(crate) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { calls: Mutex::default(), permits: Semaphore::new(permits) })
    }

    pub(crate) fn calls(&self) -> Vec<Vec<String>> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Embedder for Recording {
    fn id(&self) -> EmbedderId {
        HashingEmbedder.id()
    }

    fn default_floor(&self) -> Option<f64> {
        Some(0.25)
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.lock().unwrap().push(texts.iter().map(|text| (*text).to_owned()).collect());
        self.permits.acquire().await.unwrap().forget();
        if texts.contains(&"poison") {
            return Err(EmbedError::Failed("poisoned".into()));
        }
        HashingEmbedder.embed(texts).await
    }
}

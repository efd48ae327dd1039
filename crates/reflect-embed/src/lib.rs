//! Turns text into vectors that can be compared.
//!
//! Vectors have length one, so their dot product is their cosine. Nothing here stores anything. To add an embedder,
//! implement [`Embedder`] in a file of its own and give it an id that changes whenever its vectors do. [`CachedEmbedder`],
//! [`BatchingEmbedder`] and [`RedactingEmbedder`] go around any of them.

mod background_threads;
mod batching;
mod cached;
mod hashing;
mod http;
mod model;
mod model_embedder;
mod redacting;
mod run_here;

use std::sync::Arc;

use async_trait::async_trait;
use reflect_core::EmbedderId;

pub use batching::{BatchLimits, BatchingEmbedder};
pub use cached::CachedEmbedder;
pub use hashing::HashingEmbedder;
pub use http::{HttpEmbedder, HttpEmbedderSettings};
pub use model::{Model, ModelFileError, PublishedModel, convert};
pub use model_embedder::ModelEmbedder;
pub use redacting::RedactingEmbedder;
pub use run_here::{CACHE_BYTES, LIMITS, run_here};

/// Who wants vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// Where texts have to wait, callers of different names take turns, and each has a queue of their own.
    pub name: &'a str,
    /// Whether somebody waits for the answer.
    pub urgency: Urgency,
}

/// Whether somebody waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Somebody does.
    Asked,
    /// Nobody does: whatever else there is to do may come first.
    Background,
}

impl<'a> Caller<'a> {
    /// Somebody of that name, who waits.
    pub const fn asking(name: &'a str) -> Self {
        Self { name, urgency: Urgency::Asked }
    }

    /// Somebody of that name, who does not wait.
    pub const fn in_background(name: &'a str) -> Self {
        Self { name, urgency: Urgency::Background }
    }
}

/// Makes vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Names the vectors: equal ids mean comparable vectors.
    fn id(&self) -> EmbedderId;

    /// The floor on cosine similarity below which a memory is taken to be about something else, where this embedder's
    /// cosines are steady enough to say so.
    fn default_floor(&self) -> Option<f64>;

    /// One vector of length one for each text, in the same order. Empty texts get a vector too.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The same for one of several callers.
    async fn embed_for(&self, _caller: Caller<'_>, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(texts).await
    }
}

#[async_trait]
impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn id(&self) -> EmbedderId {
        (**self).id()
    }

    fn default_floor(&self) -> Option<f64> {
        (**self).default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        (**self).embed(texts).await
    }

    async fn embed_for(&self, caller: Caller<'_>, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        (**self).embed_for(caller, texts).await
    }
}

/// Why there is no vector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Too much waits already, which says nothing about the texts: they can be brought again later.
    #[error("the embedder is busy: {0}")]
    Busy(&'static str),
    /// The embedder failed.
    #[error("{0}")]
    Failed(String),
}

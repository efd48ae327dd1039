//! Texts that may not leave as they are.

use std::borrow::Cow;

use async_trait::async_trait;
use reflect_core::EmbedderId;

use crate::{EmbedError, Embedder};

/// An embedder that sees a text only after something was struck from it. Queries and memories go through the same door, so
/// they stay comparable; and so do older vectors, which is why the id is the inner one's.
pub struct RedactingEmbedder<E, R> {
    inner: E,
    redact: R,
}

impl<E: Embedder, R: for<'a> Fn(&'a str) -> Cow<'a, str> + Send + Sync> RedactingEmbedder<E, R> {
    /// Puts every text through `redact` first.
    pub fn new(inner: E, redact: R) -> Self {
        Self { inner, redact }
    }
}

#[async_trait]
impl<E: Embedder, R: for<'a> Fn(&'a str) -> Cow<'a, str> + Send + Sync> Embedder for RedactingEmbedder<E, R> {
    fn id(&self) -> EmbedderId {
        self.inner.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.inner.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let redacted: Vec<Cow<'_, str>> = texts.iter().map(|text| (self.redact)(text)).collect();
        let redacted: Vec<&str> = redacted.iter().map(Cow::as_ref).collect();
        self.inner.embed(&redacted).await
    }
}

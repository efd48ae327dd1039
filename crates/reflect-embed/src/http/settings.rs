//! The settings of an embedder over HTTP.

use std::time::Duration;

/// Which endpoint is asked for what, and how patiently.
#[derive(Debug, Clone)]
pub struct HttpEmbedderSettings {
    /// The endpoint without its `/embeddings`, as in `https://api.openai.com/v1`.
    pub base_url: String,
    /// What is sent as `Authorization: Bearer …`, if anything.
    pub key: Option<EndpointKey>,
    /// The model, as the endpoint names it.
    pub model: String,
    /// How many numbers a vector has. Any other answer is refused.
    pub dimension: usize,
    /// Whether the endpoint is asked for that dimension, for models that can make shorter vectors. Some endpoints refuse
    /// to be asked.
    pub asks_for_dimension: bool,
    /// How many texts a request has at most.
    pub max_texts: usize,
    /// How many bytes the texts of a request have at most; a longer one goes alone.
    pub max_bytes: usize,
    /// How many requests are under way at the same time.
    pub concurrency: usize,
    /// How long one try may take.
    pub timeout: Duration,
    /// How often a request is tried.
    pub attempts: u32,
    /// How long a request may take with all its tries, pauses and the wait for its turn.
    pub patience: Duration,
}

impl HttpEmbedderSettings {
    /// Settings that suit a server on the same machine as well as one far away. Batches are small enough for endpoints with
    /// the least generous limits.
    pub fn new(base_url: &str, model: &str, dimension: usize) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key: None,
            model: model.to_owned(),
            dimension,
            asks_for_dimension: false,
            max_texts: 32,
            max_bytes: 256 * 1024,
            concurrency: 4,
            timeout: Duration::from_secs(10),
            attempts: 4,
            patience: Duration::from_secs(30),
        }
    }
}

/// A key that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointKey(String);

impl EndpointKey {
    /// A key by its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with the key blotted out, should somebody have repeated it.
    pub(super) fn blot_out(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "****") }
    }
}

impl std::fmt::Debug for EndpointKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

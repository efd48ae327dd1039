//! The settings of an embedder over HTTP.

use std::time::Duration;

use reflect_core::Secret;

/// Which endpoint is asked for what, and how patiently.
#[derive(Debug, Clone)]
pub struct HttpEmbedderSettings {
    /// The endpoint without its `/embeddings`, as in `https://api.openai.com/v1`.
    pub base_url: String,
    /// What is sent as `Authorization: Bearer …`, if anything.
    pub key: Option<Secret>,
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

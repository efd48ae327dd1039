//! Vectors from an endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI, Ollama, vLLM, TEI and others.

mod endpoint;
mod failure;
mod settings;
mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::{BoxFuture, try_join_all};
use reflect_core::{Backoff, Clock, EmbedderId, Entropy};
use tokio::{sync::Semaphore, time::Instant};

use crate::{EmbedError, Embedder};

use endpoint::Endpoint;
use failure::{Cause, Failure};
pub use settings::HttpEmbedderSettings;

/// The first pause before a request is repeated; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// A text that is refused is halved, unless it is shorter than this: then its length cannot be what is wrong.
const SHORTEST_HALVED: usize = 512;

/// An embedder over HTTP. Its texts travel in batches, several at a time; a request that fails in passing is repeated.
///
/// A batch that is refused is sent again in halves, and a text that is refused alone as well: its vector is then the mean
/// of those of its halves, weighted by their lengths. So a text beyond the model's window is windowed, not cut off.
pub struct HttpEmbedder {
    settings: HttpEmbedderSettings,
    endpoint: Endpoint,
    slots: Semaphore,
    entropy: Arc<dyn Entropy>,
}

impl HttpEmbedder {
    /// An embedder by these settings. Nothing is sent yet. The clock is for waits that an endpoint gives as a date.
    pub fn new(
        settings: HttpEmbedderSettings,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, EmbedError> {
        let endpoint = Endpoint::new(&settings, clock)?;
        let slots = Semaphore::new(settings.concurrency.max(1));
        Ok(Self { settings, endpoint, slots, entropy })
    }

    /// A batch; in halves, if it is refused as a whole.
    fn embed_batch<'a>(&'a self, texts: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Failure>> {
        Box::pin(async move {
            let failure = match self.request(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            if failure.cause != Cause::Refused {
                return Err(failure);
            }
            if let [text] = texts {
                return Ok(vec![self.embed_halves(text, failure).await?]);
            }
            let (left, right) = texts.split_at(texts.len() / 2);
            let mut vectors = self.embed_batch(left).await?;
            vectors.extend(self.embed_batch(right).await?);
            Ok(vectors)
        })
    }

    async fn embed_halves(&self, text: &str, refusal: Failure) -> Result<Vec<f32>, Failure> {
        let Some((left, right)) = halves(text) else {
            return Err(refusal);
        };
        let vectors = [self.embed_batch(&[left]).await?, self.embed_batch(&[right]).await?].concat();
        let mut mean = vec![0.0; self.settings.dimension];
        for (half, vector) in [left, right].iter().zip(&vectors) {
            mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += *value * half.len() as f32);
        }
        wire::normalise(&mut mean).map_err(|problem| Failure::lasting(format!("a text's two halves: {problem}")))?;
        Ok(mean)
    }

    /// One request, repeated while that may help and the patience lasts.
    async fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let deadline = Instant::now() + self.settings.patience;
        let waited = tokio::time::timeout_at(deadline, self.slots.acquire()).await;
        let Ok(Ok(_slot)) = waited else {
            return Err(Failure::passing("other requests to it took too long".into(), None));
        };
        let mut tries = 0;
        loop {
            let until = deadline.min(Instant::now() + self.settings.timeout);
            let failure = match tokio::time::timeout_at(until, self.endpoint.ask(texts)).await {
                Ok(Ok(vectors)) => return Ok(vectors),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::passing("no answer in time".into(), None),
            };
            tries += 1;
            let Cause::Passing { retry_after } = failure.cause else {
                return Err(failure);
            };
            let backoff = Backoff::new(FIRST_PAUSE, self.settings.patience);
            let pause = retry_after.unwrap_or_else(|| backoff.jittered(tries, self.entropy.number()));
            let time_left = deadline.saturating_duration_since(Instant::now());
            if tries >= self.settings.attempts || pause >= time_left {
                return Err(failure.after(tries));
            }
            tokio::time::sleep(pause).await;
        }
    }
}

#[async_trait]
impl Embedder for HttpEmbedder {
    /// The model's name and its dimension: what another endpoint makes by the same model may be compared.
    fn id(&self) -> EmbedderId {
        EmbedderId(format!("http:{}:{}", self.settings.model, self.settings.dimension))
    }

    /// None: how near is near differs from model to model, and nothing here knows the model.
    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let batches = batches(texts, self.settings.max_texts, self.settings.max_bytes);
        let vectors = try_join_all(batches.into_iter().map(|batch| self.embed_batch(batch))).await;
        // By its name: the address is the operator's business, and this may end up with a client.
        let vectors = vectors.map_err(|failure| EmbedError::Failed(format!("`{}`: {failure}", self.id())))?;
        Ok(vectors.into_iter().flatten().collect())
    }
}

/// The texts in their order, in batches of at most that many texts and bytes. A text that is larger goes alone.
fn batches<'a, 'b>(texts: &'a [&'b str], max_texts: usize, max_bytes: usize) -> Vec<&'a [&'b str]> {
    let mut batches = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take(max_texts).take_while(|text| {
            bytes += text.len();
            bytes <= max_bytes
        });
        let (batch, later) = rest.split_at(fits.count().max(1));
        batches.push(batch);
        rest = later;
    }
    batches
}

/// A text in two, between words if possible.
fn halves(text: &str) -> Option<(&str, &str)> {
    if text.len() < SHORTEST_HALVED {
        return None;
    }
    let middle = text.floor_char_boundary(text.len() / 2);
    let (left, _) = text.split_at(middle);
    let between_words = left.rfind(char::is_whitespace).filter(|index| *index > middle / 2);
    Some(text.split_at(between_words.unwrap_or(middle)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn batches_keep_every_text_in_order_and_within_bounds(
            lengths in prop::collection::vec(0..50_usize, 0..40), max_texts in 1..10_usize, max_bytes in 1..100_usize,
        ) {
            let texts: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let batches = batches(&texts, max_texts, max_bytes);
            prop_assert_eq!(&batches.concat(), &texts);
            for batch in batches {
                prop_assert!((1..=max_texts).contains(&batch.len()));
                prop_assert!(batch.len() == 1 || batch.concat().len() <= max_bytes);
            }
        }

        #[test]
        fn halves_are_the_whole_and_not_empty(text in "\\PC{0,400}") {
            if let Some((left, right)) = halves(&text) {
                prop_assert!(!left.is_empty() && !right.is_empty());
                prop_assert_eq!(format!("{left}{right}"), text);
            } else {
                prop_assert!(text.len() < SHORTEST_HALVED);
            }
        }
    }
}

//! Joins requests that come at the same time into one.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::future::join_all;
use reflect_core::EmbedderId;
use tokio::sync::{Semaphore, oneshot};

use crate::{EmbedError, Embedder};

type Answer = Result<Vec<Vec<f32>>, EmbedError>;

/// Hands an embedder the texts of several callers at once, where that is faster than one after the other.
///
/// Nobody waits for company: the first to come is served at once, and those who come meanwhile are served together as soon
/// as it has been. There is no task behind this; one of those who wait does the work for all of them.
pub struct BatchingEmbedder<E> {
    inner: E,
    max_texts: usize,
    turns: Semaphore,
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    texts: Vec<String>,
    answer: oneshot::Sender<Answer>,
}

impl<E: Embedder> BatchingEmbedder<E> {
    /// Batches of at most `max_texts`, except for a caller who brings more; `at_a_time` of them at the same time.
    pub fn new(inner: E, max_texts: usize, at_a_time: usize) -> Self {
        Self { inner, max_texts, turns: Semaphore::new(at_a_time.max(1)), waiting: Mutex::default() }
    }

    fn enqueue(&self, texts: &[&str]) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(Waiting { texts, answer });
        answered
    }

    /// The oldest of those who wait and still listen, as many as go into a batch.
    fn take_batch(&self) -> Vec<Waiting> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|waiting| !waiting.answer.is_closed());
        let mut texts = 0;
        let fits = waiting.iter().take_while(|waiting| {
            texts += waiting.texts.len();
            texts <= self.max_texts
        });
        let count = fits.count().max(1).min(waiting.len());
        waiting.drain(..count).collect()
    }

    async fn serve(&self, batch: Vec<Waiting>) {
        let texts: Vec<&str> = batch.iter().flat_map(|waiting| &waiting.texts).map(String::as_str).collect();
        let joint = self.inner.embed(&texts).await;
        match joint {
            Ok(vectors) if vectors.len() == texts.len() => {
                let mut vectors = vectors.into_iter();
                for waiting in batch {
                    let own = vectors.by_ref().take(waiting.texts.len()).collect();
                    let _ = waiting.answer.send(Ok(own));
                }
            }
            // One bad text must not be the failure of its neighbours.
            _ if batch.len() > 1 => {
                join_all(batch.into_iter().map(|waiting| self.serve_alone(waiting))).await;
            }
            joint => batch.into_iter().for_each(|waiting| {
                let _ = waiting.answer.send(joint.clone());
            }),
        }
    }

    async fn serve_alone(&self, waiting: Waiting) {
        let texts: Vec<&str> = waiting.texts.iter().map(String::as_str).collect();
        let _ = waiting.answer.send(self.inner.embed(&texts).await);
    }
}

#[async_trait]
impl<E: Embedder> Embedder for BatchingEmbedder<E> {
    fn id(&self) -> EmbedderId {
        self.inner.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.inner.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Answer {
        let mut answered = self.enqueue(texts);
        loop {
            tokio::select! {
                biased;
                answer = &mut answered => match answer {
                    Ok(answer) => return answer,
                    // Whoever was working for us went away in the middle.
                    Err(_) => answered = self.enqueue(texts),
                },
                turn = self.turns.acquire() => {
                    let _turn = turn.map_err(|_| EmbedError("the embedder was closed".into()))?;
                    let batch = self.take_batch();
                    if !batch.is_empty() {
                        self.serve(batch).await;
                    }
                }
            }
        }
    }
}

//! Joins texts that wait at the same time into batches, fairly among those who brought them.

mod queue;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, join_all, try_join_all},
};
use reflect_core::EmbedderId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{Caller, EmbedError, Embedder};
use queue::{Queue, WaitingText};

/// How much goes together, and how much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// The most texts of a batch.
    pub texts: usize,
    /// About the most tokens of a batch; a single text may have more.
    pub tokens: usize,
    /// About the most tokens that are read of one text.
    pub text_tokens: usize,
    /// About how many tokens of one caller may wait. Beyond that the embedder is busy for this caller, and for no other.
    pub waiting_tokens: usize,
    /// How long a text waits for its batch before the embedder counts as busy.
    pub longest_wait: Duration,
}

/// Hands an embedder the texts of several callers at once, where that is faster than one after the other.
///
/// Nobody waits for company: the first to come is served at once, and those who come meanwhile are served together as soon
/// as it has been. Callers share it by tokens. There is no task behind this: those whose texts are in a batch drive it
/// together, and when the last of them has gone, it ends.
pub struct BatchingEmbedder<E> {
    inner: Arc<E>,
    limits: BatchLimits,
    turns: Arc<Semaphore>,
    queue: Mutex<Queue>,
}

/// One answer for each text of a batch.
type Batch = Shared<BoxFuture<'static, Arc<[Answer]>>>;

type Answer = Result<Vec<f32>, EmbedError>;

/// A text's index in a batch.
struct Seat {
    batch: Batch,
    index: usize,
}

impl<E: Embedder + 'static> BatchingEmbedder<E> {
    /// Batches within these limits; `at_a_time` of them at the same time.
    pub fn new(inner: E, limits: BatchLimits, at_a_time: usize) -> Self {
        let turns = Arc::new(Semaphore::new(at_a_time.max(1)));
        Self { inner: Arc::new(inner), limits, turns, queue: Mutex::default() }
    }

    fn enqueue(&self, caller: &str, texts: &[&str]) -> Result<Vec<oneshot::Receiver<Seat>>, EmbedError> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let seats = queue.push(caller, texts, self.limits);
        seats.ok_or(EmbedError::Busy("too many texts of this project wait already"))
    }

    /// Puts those into a batch whose turn it is.
    fn form_batch(&self, turn: OwnedSemaphorePermit) {
        let taken = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take(self.limits);
        let (mut texts, mut seats) = (Vec::with_capacity(taken.len()), Vec::with_capacity(taken.len()));
        for WaitingText { text, request, seat, .. } in taken {
            texts.push((request, text));
            seats.push(seat);
        }
        let batch = run_batch(Arc::clone(&self.inner), texts, turn).boxed().shared();
        for (index, seat) in seats.into_iter().enumerate() {
            // Whoever has gone in this moment needs none.
            let _ = seat.send(Seat { batch: batch.clone(), index });
        }
    }

    /// Waits until the text is in a batch, and forms batches meanwhile, for whoever is next.
    async fn seat(&self, mut seated: oneshot::Receiver<Seat>) -> Result<Seat, EmbedError> {
        if let Ok(turn) = Arc::clone(&self.turns).try_acquire_owned() {
            self.form_batch(turn);
        }
        if let Ok(seat) = seated.try_recv() {
            return Ok(seat);
        }
        let closed = || EmbedError::Failed("the embedder was closed".into());
        let mut waited = Box::pin(tokio::time::sleep(self.limits.longest_wait));
        loop {
            tokio::select! {
                biased;
                seat = &mut seated => return seat.map_err(|_| closed()),
                turn = Arc::clone(&self.turns).acquire_owned() => self.form_batch(turn.map_err(|_| closed())?),
                () = &mut waited => return Err(EmbedError::Busy("too many texts were waiting before this one")),
            }
        }
    }

    async fn vector(&self, seated: oneshot::Receiver<Seat>) -> Answer {
        let Seat { batch, index } = self.seat(seated).await?;
        let missing = || Err(EmbedError::Failed("a batch has no answer for one of its texts".into()));
        batch.await.get(index).cloned().unwrap_or_else(missing)
    }
}

/// Embeds the texts of a batch, each with the number of the request that it came with.
async fn run_batch<E: Embedder>(
    embedder: Arc<E>,
    texts: Vec<(u64, String)>,
    _turn: OwnedSemaphorePermit,
) -> Arc<[Answer]> {
    let embedder = &*embedder;
    let joint: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let answers = embed_each(embedder, &joint).await;
    let is_one_request = texts.iter().all(|(request, _)| texts.first().is_some_and(|(first, _)| first == request));
    if is_one_request || answers.iter().all(Result::is_ok) {
        return answers.into();
    }
    // One bad text must not be the failure of its neighbours.
    let mut requests: BTreeMap<u64, Vec<(usize, &str)>> = BTreeMap::new();
    for (index, (request, text)) in texts.iter().enumerate() {
        requests.entry(*request).or_default().push((index, text));
    }
    let alone = join_all(requests.into_values().map(|indexed| async move {
        let own: Vec<&str> = indexed.iter().map(|(_, text)| *text).collect();
        let answers = embed_each(embedder, &own).await;
        indexed.into_iter().map(|(index, _)| index).zip(answers).collect::<Vec<_>>()
    }));
    let mut answers: Vec<(usize, Answer)> = alone.await.into_iter().flatten().collect();
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// As many answers as texts, in any case.
async fn embed_each(embedder: &impl Embedder, texts: &[&str]) -> Vec<Answer> {
    match embedder.embed(texts).await {
        Ok(vectors) if vectors.len() == texts.len() => vectors.into_iter().map(Ok).collect(),
        Ok(vectors) => {
            let problem = format!("`{}` made {} vectors of {} texts", embedder.id(), vectors.len(), texts.len());
            vec![Err(EmbedError::Failed(problem)); texts.len()]
        }
        Err(error) => vec![Err(error); texts.len()],
    }
}

#[async_trait]
impl<E: Embedder + 'static> Embedder for BatchingEmbedder<E> {
    fn id(&self) -> EmbedderId {
        self.inner.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.inner.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_for(Caller::asking(""), texts).await
    }

    async fn embed_for(&self, caller: Caller<'_>, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let seats = self.enqueue(caller.name, texts)?;
        try_join_all(seats.into_iter().map(|seated| self.vector(seated))).await
    }
}

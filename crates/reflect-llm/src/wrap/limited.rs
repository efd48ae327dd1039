//! A limit on how many calls are under way.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{ChatError, ChatModel, ChatReply, ChatRequest, ChatStream};

/// Lets so many calls through at once; others wait for their turn, first come first served. A call that is dropped gives its permit
/// back at once.
pub struct Limited<M> {
    model: M,
    permits: Arc<Semaphore>,
}

impl<M> Limited<M> {
    /// At most this many calls at once, and at least one.
    pub fn new(model: M, concurrent_calls: usize) -> Self {
        Self::sharing(model, Arc::new(Semaphore::new(concurrent_calls.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Shares its permits with other models, say those behind the same key.
    pub fn sharing(model: M, permits: Arc<Semaphore>) -> Self {
        Self { model, permits }
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, ChatError> {
        self.permits.clone().acquire_owned().await.map_err(|_| ChatError::Unavailable {
            status: None,
            retry_after: None,
            message: "calls are being stopped".to_owned(),
        })
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Limited<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let _permit = self.permit().await?;
        self.model.chat(request).await
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        let permit = self.permit().await?;
        let stream = self.model.stream(request).await?;
        // Held until the answer has arrived.
        Ok(Box::pin(stream.map(move |piece| {
            let _held = &permit;
            piece
        })))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use futures_util::future::join_all;

    use super::*;
    use crate::{ScriptedModel, ScriptedStep};

    /// Counts how many calls are under way, and how many were at most.
    struct Counting(AtomicUsize, AtomicUsize);

    #[async_trait]
    impl ChatModel for Counting {
        fn name(&self) -> &str {
            "counting/model"
        }

        async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
            let now = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            self.1.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(10)).await;
            self.0.fetch_sub(1, Ordering::SeqCst);
            Ok(ChatReply::default())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_calls_than_the_limit_are_under_way() {
        let counting = Arc::new(Counting(AtomicUsize::new(0), AtomicUsize::new(0)));
        let limited = Limited::new(counting.clone(), 3);
        let request = ChatRequest::default();
        let outcomes = join_all((0..20).map(|_| limited.chat(&request))).await;
        assert!(outcomes.iter().all(Result::is_ok));
        assert_eq!(counting.1.load(Ordering::SeqCst), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_call_gives_its_place_back() {
        let limited = Limited::new(ScriptedModel::new([ScriptedStep::hang(), ScriptedStep::text("x")]), 1);
        let request = ChatRequest::default();
        let dropped = tokio::time::timeout(Duration::from_secs(1), limited.chat(&request)).await;
        assert!(dropped.is_err());
        assert_eq!(limited.chat(&request).await, Ok(ChatReply::text("x")));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_holds_its_place_until_it_is_dropped() {
        let limited = Limited::new(ScriptedModel::new([ScriptedStep::text("a"), ScriptedStep::text("b")]), 1);
        let request = ChatRequest::default();
        let stream = limited.stream(&request).await.unwrap();
        let second = tokio::time::timeout(Duration::from_secs(1), limited.chat(&request)).await;
        assert!(second.is_err(), "the permit was free");
        drop(stream);
        assert!(limited.chat(&request).await.is_ok());
    }
}

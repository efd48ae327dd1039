//! A limit on how long a call takes.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::{ChatError, ChatModel, ChatPiece, ChatReply, ChatRequest, ChatStream};

/// Ends calls that take too long: after the request's own time, or after this one where it names none.
pub struct Timed<M> {
    model: M,
    timeout: Duration,
}

impl<M> Timed<M> {
    /// At most this long, where the request does not say.
    pub fn new(model: M, timeout: Duration) -> Self {
        Self { model, timeout }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Timed<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let after = request.timeout.unwrap_or(self.timeout);
        let answer = tokio::time::timeout(after, self.model.chat(request)).await;
        answer.unwrap_or(Err(ChatError::Timeout { after }))
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        let after = request.timeout.unwrap_or(self.timeout);
        let deadline = Instant::now() + after;
        let begun = timeout_at(deadline, self.model.stream(request)).await;
        let pieces = begun.unwrap_or(Err(ChatError::Timeout { after }))?;
        Ok(Box::pin(stream::unfold(Some(pieces), move |pieces| async move {
            let mut pieces = pieces?;
            match timeout_at(deadline, pieces.next()).await {
                Ok(Some(Ok(ChatPiece::Text(text)))) => Some((Ok(ChatPiece::Text(text)), Some(pieces))),
                Ok(Some(last)) => Some((last, None)),
                Ok(None) => None,
                Err(_) => Some((Err(ChatError::Timeout { after }), None)),
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Never answers, whatever the request's own time: as a provider that forgets its timeout.
    struct Hanging;

    #[async_trait]
    impl ChatModel for Hanging {
        fn name(&self) -> &str {
            "hanging/model"
        }

        async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
            std::future::pending().await
        }

        async fn stream(&self, _: &ChatRequest) -> Result<ChatStream, ChatError> {
            Ok(Box::pin(stream::iter([Ok(ChatPiece::Text("a".into()))]).chain(stream::pending())))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_after_the_requests_own_time_or_the_default() {
        let timed = Timed::new(Hanging, Duration::from_secs(9));
        let start = Instant::now();
        assert_eq!(
            timed.chat(&ChatRequest::default()).await,
            Err(ChatError::Timeout { after: Duration::from_secs(9) })
        );
        assert_eq!(start.elapsed().as_secs(), 9);
        let hurried = ChatRequest::default().timeout(Duration::from_secs(2));
        assert_eq!(timed.chat(&hurried).await, Err(ChatError::Timeout { after: Duration::from_secs(2) }));
        assert_eq!(start.elapsed().as_secs(), 11);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_stalls_ends_with_a_timeout() {
        let timed = Timed::new(Hanging, Duration::from_secs(9));
        let pieces: Vec<_> = timed.stream(&ChatRequest::default()).await.unwrap().collect().await;
        let timeout = Err(ChatError::Timeout { after: Duration::from_secs(9) });
        assert_eq!(pieces, vec![Ok(ChatPiece::Text("a".into())), timeout]);
    }
}

//! The door to every model.

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};

use crate::{ChatError, ChatReply, ChatRequest};

/// A piece of an answer that is still arriving.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatPiece {
    /// More words.
    Text(String),
    /// The end: the whole answer, with the words of all pieces, tool calls and usage. Always the last piece; a stream that
    /// ends without it was cut, and says so with an error.
    End(ChatReply),
}

/// An answer in pieces. Dropping it cancels the call.
pub type ChatStream = BoxStream<'static, Result<ChatPiece, ChatError>>;

/// A model that can be asked.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Provider and model, such as `openai/gpt-5.4-mini`.
    fn name(&self) -> &str;

    /// Asks, and waits for the whole answer. Dropping the future cancels the call.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError>;

    /// Asks, and hands out the answer as it arrives. A model that cannot do so gives the whole answer as one piece.
    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        let reply = self.chat(request).await?;
        let mut pieces = Vec::with_capacity(2);
        if !reply.text.is_empty() {
            pieces.push(Ok(ChatPiece::Text(reply.text.clone())));
        }
        pieces.push(Ok(ChatPiece::End(reply)));
        Ok(Box::pin(stream::iter(pieces)))
    }
}

#[async_trait]
impl<M: ChatModel + ?Sized> ChatModel for std::sync::Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        (**self).chat(request).await
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        (**self).stream(request).await
    }
}

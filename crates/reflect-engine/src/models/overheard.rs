//! Listening in on a model that is asked by someone who always answers, and so does not say how the model fared.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use reflect_core::Timestamp;
use reflect_llm::{ChatError, ChatModel, ChatReply, ChatRequest};

use super::{
    circuit_breaker::CallPermit,
    fallback::{Failure, Fallback},
    spending::end_of_day,
};

/// A model whose last answer is remembered.
pub(crate) struct Overheard<'a> {
    model: &'a dyn ChatModel,
    last: Mutex<Option<Result<(), ChatError>>>,
}

impl<'a> Overheard<'a> {
    pub(crate) fn new(model: &'a dyn ChatModel) -> Self {
        Self { model, last: Mutex::new(None) }
    }

    /// Whether it took longer than whoever asked would wait.
    pub(crate) fn was_late(&self) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*last, Some(Err(ChatError::Timeout { .. })))
    }

    /// Reports the model's last answer to its circuit breaker. With a `problem` rules did the model's work, and this says why.
    pub(crate) fn report(
        self,
        permit: CallPermit<'_>,
        now: Timestamp,
        problem: Option<String>,
    ) -> Result<(), Fallback> {
        let last = self.last.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(why) = problem else {
            // Whoever was not asked has said nothing about itself.
            if matches!(last, Some(Ok(()))) {
                permit.answered();
            }
            return Ok(());
        };
        let fallback = match last {
            Some(Ok(())) => Fallback::Unusable(why),
            Some(Err(ChatError::Budget { .. })) => Fallback::SpendLimit { until: end_of_day(now) },
            Some(Err(error)) => Fallback::of_call(&error, why),
            None => Fallback::Refused(Failure { kind: "error", words: why }),
        };
        permit.report(&fallback, now);
        Err(fallback)
    }
}

#[async_trait]
impl ChatModel for Overheard<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let reply = self.model.chat(request).await;
        let last = reply.as_ref().map(|_| ()).map_err(Clone::clone);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        reply
    }
}

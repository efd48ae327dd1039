//! Asking whoever judges.

use std::{fmt::Display, future::Future, pin::Pin, sync::Arc, time::Duration};

use reflect_llm::{ChatModel, ChatRequest};
use tokio::time::Instant;

use crate::{
    ReflectError, Spent,
    ask::{Asking, CallLimits},
};

type Reply = Pin<Box<dyn Future<Output = Result<String, ReflectError>> + Send>>;

/// A closure or a model.
pub(super) enum JudgeCall {
    Closure(Box<dyn Fn(String) -> Reply + Send + Sync>),
    Model(Arc<dyn ChatModel>),
}

impl JudgeCall {
    pub(super) fn closure<F, Answer, E>(judge: F) -> Self
    where
        F: Fn(String) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<String, E>> + Send + 'static,
        E: Display,
    {
        Self::Closure(Box::new(move |prompt| {
            let answer = judge(prompt);
            Box::pin(async move { answer.await.map_err(|error| ReflectError::Temporary(error.to_string())) })
        }))
    }

    /// The reply, and what it took.
    pub(super) async fn ask(
        &self,
        instructions: &str,
        body: &str,
        timeout: Option<Duration>,
        max_output_tokens: u32,
    ) -> (Result<String, ReflectError>, Spent) {
        match self {
            Self::Model(model) => {
                let request = ChatRequest::ask(instructions, body).json("reflection", super::answer::schema());
                let mut asking = Asking::new(&**model, request, CallLimits { max_output_tokens, timeout });
                let reply = asking.ask().await.map(|reply| reply.text);
                (reply, asking.spent)
            }
            Self::Closure(judge) => {
                let begun = Instant::now();
                let answer = judge(format!("{}\n\n{body}", instructions.trim_end()));
                let reply = match timeout {
                    None => answer.await,
                    Some(after) => {
                        tokio::time::timeout(after, answer).await.unwrap_or(Err(ReflectError::TimedOut(after)))
                    }
                };
                let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                (reply, Spent { calls: 1, millis, ..Spent::default() })
            }
        }
    }
}

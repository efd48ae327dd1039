//! Asking whoever judges.

use std::{sync::Arc, time::Duration};

use reflect_llm::{ChatModel, ChatRequest};
use tokio::time::Instant;

use super::reply::{JudgeReply, PendingReply};
use crate::{
    ReflectError, Spent,
    ask::{Asking, CallLimits},
};

/// A closure or a model.
pub(super) enum JudgeCall {
    Closure(Box<dyn Fn(String) -> PendingReply + Send + Sync>),
    Model(Arc<dyn ChatModel>),
}

impl JudgeCall {
    pub(super) fn closure<Reply, When>(judge: impl Fn(String) -> Reply + Send + Sync + 'static) -> Self
    where
        Reply: JudgeReply<When>,
    {
        Self::Closure(Box::new(move |prompt| judge(prompt).into_pending()))
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

//! A model that answers what it was told to, for tests.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;

use crate::{ChatError, ChatModel, ChatReply, ChatRequest};

/// One answer of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedStep {
    delay: Option<Duration>,
    outcome: Result<ChatReply, ChatError>,
}

impl ScriptedStep {
    /// Answers these words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::reply(ChatReply::text(text))
    }

    /// Answers this.
    pub fn reply(reply: ChatReply) -> Self {
        Self { delay: Some(Duration::ZERO), outcome: Ok(reply) }
    }

    /// Fails so.
    pub fn error(error: ChatError) -> Self {
        Self { delay: Some(Duration::ZERO), outcome: Err(error) }
    }

    /// Never answers: the call ends by its timeout or by being dropped.
    pub fn hang() -> Self {
        Self { delay: None, outcome: Ok(ChatReply::default()) }
    }

    /// The same, after a while.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }
}

type Answer = dyn Fn(&ChatRequest) -> ScriptedStep + Send + Sync;

enum Script {
    Steps(Mutex<VecDeque<ScriptedStep>>),
    Closure(Box<Answer>),
}

/// A model that answers from a script and remembers what it was asked. It heeds the timeout of a request, as real ones do.
pub struct ScriptedModel {
    name: String,
    script: Script,
    requests: Mutex<Vec<ChatRequest>>,
}

impl ScriptedModel {
    /// Answers these, one for each call in order; then [`ChatError::NotRecorded`].
    pub fn new(steps: impl IntoIterator<Item = ScriptedStep>) -> Self {
        Self::with(Script::Steps(Mutex::new(steps.into_iter().collect())))
    }

    /// Answers by looking at the request.
    pub fn answering(answer: impl Fn(&ChatRequest) -> ScriptedStep + Send + Sync + 'static) -> Self {
        Self::with(Script::Closure(Box::new(answer)))
    }

    /// The same under another name than `scripted/model`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn with(script: Script) -> Self {
        Self { name: "scripted/model".to_owned(), script, requests: Mutex::new(Vec::new()) }
    }

    fn next(&self, request: &ChatRequest) -> ScriptedStep {
        let number = {
            let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.push(request.clone());
            requests.len()
        };
        match &self.script {
            Script::Closure(answer) => answer(request),
            Script::Steps(steps) => {
                let step = steps.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                step.unwrap_or_else(|| {
                    ScriptedStep::error(ChatError::NotRecorded {
                        message: format!("the script has no step for call {number}; add one"),
                    })
                })
            }
        }
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let step = self.next(request);
        let waiting = async {
            match step.delay {
                Some(Duration::ZERO) => {}
                Some(delay) => tokio::time::sleep(delay).await,
                None => std::future::pending().await,
            }
        };
        match request.timeout {
            Some(after) => {
                tokio::time::timeout(after, waiting).await.map_err(|_| ChatError::Timeout { after })?;
            }
            None => waiting.await,
        }
        step.outcome
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;
    use crate::ChatPiece;

    #[tokio::test]
    async fn steps_are_answered_in_order_and_then_the_script_is_over() {
        let refused = ChatError::Refused { status: Some(401), message: "wrong key".into() };
        let model = ScriptedModel::new([ScriptedStep::text("one"), ScriptedStep::error(refused.clone())]).named("a/b");
        let request = ChatRequest::ask("be brief", "count");
        assert_eq!(model.name(), "a/b");
        assert_eq!(model.chat(&request).await, Ok(ChatReply::text("one")));
        assert_eq!(model.chat(&request).await, Err(refused));
        assert!(matches!(model.chat(&request).await, Err(ChatError::NotRecorded { .. })));
        assert_eq!(model.requests(), vec![request.clone(), request.clone(), request]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_step_ends_by_the_timeout_of_the_request() {
        let model = ScriptedModel::new([
            ScriptedStep::hang(),
            ScriptedStep::text("late").after(Duration::from_secs(9)),
            ScriptedStep::text("in time").after(Duration::from_secs(4)),
        ]);
        let request = ChatRequest::default().timeout(Duration::from_secs(5));
        let timeout = Err(ChatError::Timeout { after: Duration::from_secs(5) });
        assert_eq!(model.chat(&request).await, timeout);
        assert_eq!(model.chat(&request).await, timeout);
        assert_eq!(model.chat(&request).await, Ok(ChatReply::text("in time")));
    }

    #[tokio::test]
    async fn a_model_without_streaming_gives_its_answer_as_one_piece() {
        let model = ScriptedModel::answering(|request| {
            ScriptedStep::text(request.messages.last().map(|message| message.text.to_uppercase()).unwrap_or_default())
        });
        let pieces: Vec<_> = model.stream(&ChatRequest::ask("", "loud")).await.unwrap().collect().await;
        assert_eq!(pieces, vec![Ok(ChatPiece::Text("LOUD".into())), Ok(ChatPiece::End(ChatReply::text("LOUD")))]);
    }
}

//! Recording real exchanges, and playing them back.
//!
//! One JSON object a line: the model's name, the request without its timeout, and the reply or the error. Requests hold no keys; a key
//! that somebody wrote into a message, or that a provider repeats, is struck out.

use std::{
    collections::VecDeque,
    io::{BufRead, Write},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{ChatError, ChatModel, ChatReply, ChatRequest, Secret};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Exchange {
    model: String,
    request: ChatRequest,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(ChatReply),
    Error(ChatError),
}

/// Writes down every exchange with a model. A line that cannot be written fails no call.
pub struct Recording<M> {
    model: M,
    secrets: Vec<Secret>,
    to: Mutex<Box<dyn Write + Send>>,
}

impl<M> Recording<M> {
    /// Writes to `to`, with these secrets struck out.
    pub fn new(model: M, secrets: Vec<Secret>, to: Box<dyn Write + Send>) -> Self {
        Self { model, secrets, to: Mutex::new(to) }
    }

    fn write(&self, exchange: &Exchange) -> Option<()> {
        let line = serde_json::to_string(exchange).ok()?;
        let line = self.secrets.iter().fold(line, |line, secret| strike(&line, secret));
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(to, "{line}").ok()?;
        to.flush().ok()
    }
}

/// Strikes a secret out of JSON, where it stands in its escaped form.
fn strike(line: &str, secret: &Secret) -> String {
    let quoted = serde_json::to_string(secret.expose()).unwrap_or_default();
    let escaped = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    Secret::new(escaped).strike_from(line)
}

#[async_trait]
impl<M: ChatModel> ChatModel for Recording<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let outcome = self.model.chat(request).await;
        let written = outcome.clone().map_or_else(Outcome::Error, Outcome::Reply);
        self.write(&Exchange { model: self.name().to_owned(), request: request.clone(), outcome: written });
        outcome
    }
}

/// Answers as it was recorded, each exchange once and in its order. A request that was not recorded is an error that says so.
pub struct Replay {
    name: String,
    exchanges: Mutex<VecDeque<Exchange>>,
}

impl Replay {
    /// Reads what a [`Recording`] wrote about the model of this name.
    pub fn read(name: impl Into<String>, from: impl BufRead) -> std::io::Result<Self> {
        let name = name.into();
        let mut exchanges = VecDeque::new();
        for line in from.lines() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let exchange: Exchange = serde_json::from_str(&line)?;
            if exchange.model == name {
                exchanges.push_back(exchange);
            }
        }
        Ok(Self { name, exchanges: Mutex::new(exchanges) })
    }

    /// Exchanges that were not played back yet.
    pub fn remaining(&self) -> usize {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let wanted = ChatRequest { timeout: None, ..request.clone() };
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        let found = exchanges.iter().position(|exchange| exchange.request == wanted);
        match found.and_then(|index| exchanges.remove(index)).map(|exchange| exchange.outcome) {
            Some(Outcome::Reply(reply)) => Ok(reply),
            Some(Outcome::Error(error)) => Err(error),
            None => Err(ChatError::NotRecorded { message: unknown(&self.name, request, exchanges.len()) }),
        }
    }
}

fn unknown(name: &str, request: &ChatRequest, left: usize) -> String {
    let last = request.messages.last().map(|message| message.text.chars().take(80).collect::<String>());
    let last = last.unwrap_or_default();
    format!(
        "`{name}` was not asked `{last}…` when it was recorded, or not as often; {left} exchanges are left: record it anew"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{ScriptedModel, ScriptedStep};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn record(secret: &str) -> String {
        let busy =
            ChatError::RateLimited { retry_after: Some(std::time::Duration::from_secs(3)), message: "busy".into() };
        let model = ScriptedModel::new([
            ScriptedStep::text("first"),
            ScriptedStep::error(busy),
            ScriptedStep::text(format!("your key is {secret}")),
        ]);
        let file = Shared::default();
        let recording = Recording::new(model, vec![Secret::new(secret)], Box::new(file.clone()));
        recording.chat(&ChatRequest::ask("s", "a")).await.unwrap();
        recording.chat(&ChatRequest::ask("s", "b").temperature(0.3)).await.unwrap_err();
        recording.chat(&ChatRequest::ask("s", format!("leak {secret}"))).await.unwrap();
        let bytes = file.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[tokio::test]
    async fn what_was_recorded_is_answered_again_and_nothing_else_is() {
        let file = record("sk-1").await;
        let replay = Replay::read("scripted/model", file.as_bytes()).unwrap();
        let hurried = ChatRequest::ask("s", "a").timeout(std::time::Duration::from_secs(1));
        assert!(matches!(replay.chat(&ChatRequest::ask("s", "b")).await, Err(ChatError::NotRecorded { .. })));
        assert!(matches!(
            replay.chat(&ChatRequest::ask("s", "b").temperature(0.3)).await,
            Err(ChatError::RateLimited { retry_after: Some(_), .. })
        ));
        assert_eq!(replay.chat(&hurried).await, Ok(ChatReply::text("first")));
        let again = replay.chat(&hurried).await.unwrap_err().to_string();
        assert!(again.contains("`a…`") && again.contains("record it anew"), "{again}");
        assert_eq!(replay.remaining(), 1);
    }

    #[tokio::test]
    async fn secrets_are_struck_out_of_recordings() {
        let file = record("sk-\"quoted\"").await;
        assert_eq!(file.lines().count(), 3);
        assert!(!file.contains("quoted"), "{file}");
        assert_eq!(Replay::read("scripted/model", file.as_bytes()).unwrap().remaining(), 3);
    }

    #[test]
    fn a_broken_recording_is_an_error() {
        assert!(Replay::read("a/b", "{\"model\": \"a/b\"".as_bytes()).is_err());
    }
}

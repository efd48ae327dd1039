//! A model behind HTTP, whatever its protocol.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use reflect_core::Clock;
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{
    ProviderSettings,
    failure::{broken_off, error_inside, not_asked, refusal, shown},
    parts,
    protocol::{Asking, Protocol, malformed},
    streaming::{TimeLimit, pieces_of},
};
use crate::{AnswerFormat, ChatError, ChatModel, ChatReply, ChatRequest, ChatStream, Secret};

/// The longest answer that is read: far beyond what any model writes.
pub(super) const MOST_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Which model is asked, and where.
pub(super) struct Target {
    /// The name with its provider, as in `openai/gpt-5.4-mini`.
    pub(super) full_name: String,
    /// The name as the provider knows it.
    pub(super) model: String,
    pub(super) base_url: Url,
    pub(super) key: Option<Secret>,
}

pub(super) struct HttpModel {
    target: Target,
    protocol: Arc<dyn Protocol>,
    client: Client,
    clock: Arc<dyn Clock>,
    timeout: Duration,
    /// What this endpoint has turned out not to take. Learned from its refusals, and kept as long as the model.
    no_schema: AtomicBool,
    no_temperature: AtomicBool,
    other_max_tokens: AtomicBool,
}

impl HttpModel {
    pub(super) fn new(target: Target, protocol: Arc<dyn Protocol>, settings: &ProviderSettings) -> Self {
        Self {
            client: settings.http.for_url(&target.base_url).clone(),
            target,
            protocol,
            clock: settings.clock.clone(),
            timeout: settings.timeout,
            no_schema: AtomicBool::new(false),
            no_temperature: AtomicBool::new(false),
            other_max_tokens: AtomicBool::new(false),
        }
    }

    /// Sends the request, and sends it again without what the endpoint says it does not take: a schema, a temperature, or the name of the
    /// limit on the answer, which has two. What made the difference is remembered.
    async fn send(&self, request: &ChatRequest, stream: bool) -> Result<Response, ChatError> {
        parts::check(&*self.protocol, &self.target.full_name, request)?;
        let mut asking = Asking {
            stream,
            schema: !self.no_schema.load(Ordering::Relaxed),
            temperature: !self.no_temperature.load(Ordering::Relaxed),
            other_max_tokens: self.other_max_tokens.load(Ordering::Relaxed),
        };
        let mut renamed = false;
        loop {
            let error = match self.send_once(request, asking).await {
                Ok(response) => {
                    self.no_schema.fetch_or(!asking.schema, Ordering::Relaxed);
                    self.no_temperature.fetch_or(!asking.temperature, Ordering::Relaxed);
                    if renamed {
                        self.other_max_tokens.store(asking.other_max_tokens, Ordering::Relaxed);
                    }
                    return Ok(response);
                }
                Err(error) => error,
            };
            let ChatError::Refused { status: Some(400 | 422), message } = &error else { return Err(error) };
            let has_schema = matches!(request.answer, AnswerFormat::Json { .. });
            if !renamed && request.max_tokens.is_some() && names_unknown_max_tokens(message) {
                asking.other_max_tokens = !asking.other_max_tokens;
                renamed = true;
            } else if asking.temperature
                && request.temperature.is_some()
                && message.to_lowercase().contains("temperature")
            {
                asking.temperature = false;
            } else if asking.schema && has_schema {
                asking.schema = false;
            } else {
                return Err(error);
            }
        }
    }

    async fn send_once(&self, request: &ChatRequest, asking: Asking) -> Result<Response, ChatError> {
        let Target { model, base_url, .. } = &self.target;
        let body = self.protocol.body(model, request, asking).to_string();
        let mut sending = self.client.post(self.protocol.url(base_url, model, asking.stream)).body(body);
        sending = sending.header("content-type", "application/json");
        for (name, value) in self.protocol.headers(self.target.key.as_ref()) {
            sending = sending.header(name, value);
        }
        let response = sending.send().await.map_err(|error| not_asked(error, self.target.key.as_ref()))?;
        if !response.status().is_success() {
            return Err(refusal(response, self.clock.now(), self.target.key.as_ref()).await);
        }
        Ok(response)
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let response = self.send(request, false).await?;
        let answer = read_json(response, self.target.key.as_ref()).await?;
        if let Some(error) = error_inside(&answer, self.target.key.as_ref()) {
            return Err(error);
        }
        self.protocol.read(&answer)
    }
}

#[async_trait]
impl ChatModel for HttpModel {
    fn name(&self) -> &str {
        &self.target.full_name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let after = request.timeout.unwrap_or(self.timeout);
        tokio::time::timeout(after, self.ask(request)).await.map_err(|_| ChatError::Timeout { after })?
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChatStream, ChatError> {
        let after = request.timeout.unwrap_or(self.timeout);
        let deadline = Instant::now() + after;
        let timeout = || ChatError::Timeout { after };
        let response = timeout_at(deadline, self.send(request, true)).await.map_err(|_| timeout())??;
        Ok(pieces_of(response, Arc::clone(&self.protocol), TimeLimit { deadline, after }, self.target.key.clone()))
    }
}

/// Whether a refusal is about the name of the limit on the answer, rather than about how large the limit is.
fn names_unknown_max_tokens(message: &str) -> bool {
    const UNKNOWN: [&str; 9] = [
        "unsupported",
        "not supported",
        "unrecognized",
        "unknown",
        "unexpected",
        "not permitted",
        "not allowed",
        "instead",
        "extra_forbidden",
    ];
    let message = message.to_lowercase();
    let names_it = message.contains("max_tokens") || message.contains("max_completion_tokens");
    names_it && UNKNOWN.iter().any(|word| message.contains(word))
}

/// The body of an answer as JSON.
async fn read_json(mut response: Response, key: Option<&Secret>) -> Result<Value, ChatError> {
    let (mut body, status) = (Vec::new(), response.status());
    while let Some(chunk) = response.chunk().await.map_err(|error| broken_off(status, error, key))? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_ANSWER_BYTES {
            return Err(malformed(format!("it is longer than {MOST_ANSWER_BYTES} bytes")));
        }
    }
    if body.trim_ascii().is_empty() {
        return Err(malformed("it is empty"));
    }
    if body.trim_ascii_start().starts_with(b"<") {
        return Err(malformed("it is a web page"));
    }
    serde_json::from_slice(&body).map_err(|error| malformed(shown(&format!("it is not JSON: {error}"), key)))
}

//! A client that tells an answer from a connection that broke.

use std::time::Duration;

use serde_json::Value;
use ureq::{Agent, http::Response};

/// The connection broke before the answer was whole: the request may or may not have been carried out.
#[derive(Debug)]
pub(crate) struct Broken;

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// The body of an answer of 200 or 202.
    #[track_caller]
    pub(crate) fn good(self) -> Value {
        assert!(matches!(self.status, 200 | 202), "{self:?}");
        self.body
    }

    /// The stable code of a refusal; `""` for anything that is none.
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}

/// Talks to one server with one key.
#[derive(Clone)]
pub(crate) struct Http {
    agent: Agent,
    url: String,
    authorization: String,
}

impl Http {
    pub(crate) fn new(url: &str, key: &str) -> Self {
        let config =
            Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60))).build();
        Self { agent: config.into(), url: url.to_owned(), authorization: format!("Bearer {key}") }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Answer, Broken> {
        let request = self.agent.get(format!("{}{path}", self.url));
        read(request.header("Authorization", &self.authorization).call())
    }

    /// An answer that is no JSON.
    pub(crate) fn text(&self, path: &str) -> Result<String, Broken> {
        let answer = self.agent.get(format!("{}{path}", self.url)).header("Authorization", &self.authorization).call();
        answer.map_err(|_| Broken)?.body_mut().read_to_string().map_err(|_| Broken)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Answer, Broken> {
        let request = self.agent.delete(format!("{}{path}", self.url));
        read(request.header("Authorization", &self.authorization).call())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.post_once(path, body, None)
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        let request = self.agent.patch(format!("{}{path}", self.url));
        read(request.header("Authorization", &self.authorization).send_json(body))
    }

    /// Posts with an `Idempotency-Key`, if there is one.
    pub(crate) fn post_once(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Answer, Broken> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        read(request.header("Authorization", &self.authorization).send_json(body))
    }
}

fn read(answer: Result<Response<ureq::Body>, ureq::Error>) -> Result<Answer, Broken> {
    let mut answer = answer.map_err(|_| Broken)?;
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(1 << 30).read_json();
    Ok(Answer { status, body: body.map_err(|_| Broken)? })
}

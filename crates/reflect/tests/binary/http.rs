//! A client that tells an answer from a connection that broke.

use std::{sync::OnceLock, time::Duration};

use reqwest::{Client, Method, Url};
use serde_json::Value;
use tokio::runtime::Runtime;

/// The connection broke before the answer was whole: the request may or may not have been carried out.
#[derive(Debug)]
pub(crate) struct Broken;

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// After how many seconds to come back, where it says so.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Value,
}

impl Answer {
    /// The body of an answer of 200 or 202.
    #[track_caller]
    pub(crate) fn good(self) -> Value {
        assert!(matches!(self.status, 200 | 202), "{self:?}");
        self.body
    }

    /// The stable code of a refusal; `""` for any other answer.
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}

/// Talks to one server with one key.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    url: String,
    key: String,
    unavailable_is_broken: bool,
}

impl Http {
    pub(crate) fn new(url: &str, key: &str) -> Self {
        let patient = |builder: reqwest::ClientBuilder| builder.timeout(Duration::from_secs(60));
        let client = reflect_http::client_for(&Url::parse(url).unwrap(), patient).unwrap();
        Self { client, url: url.to_owned(), key: key.to_owned(), unavailable_is_broken: false }
    }

    /// From now on an answer of 503 counts as none: the database may have gone away before it said whether it had committed.
    pub(crate) fn taking_unavailable_as_broken(self) -> Self {
        Self { unavailable_is_broken: true, ..self }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Answer, Broken> {
        self.call(Method::GET, path, None, None)
    }

    /// An answer that is no JSON.
    pub(crate) fn text(&self, path: &str) -> Result<String, Broken> {
        let (_, _, body) = self.send(Method::GET, path, None, None)?;
        String::from_utf8(body).map_err(|_| Broken)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Answer, Broken> {
        self.call(Method::DELETE, path, None, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.post_once(path, body, None)
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.call(Method::PATCH, path, Some(body), None)
    }

    /// Posts with an `Idempotency-Key`, if there is one.
    pub(crate) fn post_once(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Answer, Broken> {
        self.call(Method::POST, path, Some(body), key)
    }

    fn call(&self, method: Method, path: &str, body: Option<&Value>, key: Option<&str>) -> Result<Answer, Broken> {
        let (status, retry_after, body) = self.send(method, path, body, key)?;
        if status == 503 && self.unavailable_is_broken {
            return Err(Broken);
        }
        Ok(Answer { status, retry_after, body: serde_json::from_slice(&body).map_err(|_| Broken)? })
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Result<(u16, Option<u64>, Vec<u8>), Broken> {
        let mut request = self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        runtime().block_on(async {
            let answer = request.send().await.map_err(|_| Broken)?;
            let status = answer.status().as_u16();
            let retry_after = answer.headers().get("retry-after").and_then(|after| after.to_str().ok()?.parse().ok());
            Ok((status, retry_after, answer.bytes().await.map_err(|_| Broken)?.to_vec()))
        })
    }
}

/// Shared by all clients: a connection lives as long as the runtime that it was made on.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap())
}

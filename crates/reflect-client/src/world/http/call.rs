//! One call, tried as often as is safe.

use reqwest::{Method, Request, Url, header};
use serde::Serialize;
use serde_json::Value;

use crate::{Error, Result};

use super::{
    HttpWorld,
    answer::{Answer, refusal},
    pause::Pauses,
};

/// When a call that failed may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Whatever happened: it reads, it carries a name, or doing it twice changes nothing more.
    Always,
    /// Only if it surely was not done: nobody was reached, or the server turned it away.
    IfUnsent,
}

/// A call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    method: Method,
    path: Vec<String>,
    query: Vec<(String, String)>,
    headers: Vec<(&'static str, String)>,
    body: Option<Vec<u8>>,
    repeat: Repeat,
    with_key: bool,
}

impl Call {
    /// A call of a method on a path. What only reads may be repeated.
    pub(super) fn new(method: Method, path: &[&str]) -> Self {
        Self {
            repeat: if method == Method::GET { Repeat::Always } else { Repeat::IfUnsent },
            method,
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            with_key: true,
        }
    }

    pub(super) fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    pub(super) fn without_key(mut self) -> Self {
        self.with_key = false;
        self
    }

    pub(super) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// With a name, so that sending it twice does it once.
    pub(super) fn named(self, name: Option<String>) -> Self {
        match name {
            Some(name) => self.with_header("idempotency-key", &name).repeat(Repeat::Always),
            None => self,
        }
    }

    pub(super) fn carrying(mut self, body: &impl Serialize) -> Result<Self> {
        let json = serde_json::to_vec(body);
        self.body = Some(json.map_err(|error| Error::Settings(format!("the request is no JSON: {error}")))?);
        Ok(self)
    }

    /// With the fields of a struct behind the question mark.
    pub(super) fn asking(mut self, request: &impl Serialize) -> Self {
        if let Ok(Value::Object(fields)) = serde_json::to_value(request) {
            let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.query.extend(fields.into_iter().map(|(name, value)| (name, text(value))));
        }
        self
    }

    /// With more pairs behind the question mark; a name may come more than once.
    pub(super) fn asking_also(mut self, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        self.query.extend(pairs);
        self
    }

    fn url(&self, base_url: &Url) -> Url {
        let mut url = base_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&self.path);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }
}

impl HttpWorld {
    /// Sends a call, again where that is safe and may help, and answers with what came of the last try.
    pub(super) async fn send(&self, call: Call) -> Result<Answer> {
        let request = self.request(&call)?;
        let mut pauses = Pauses::new(self.settings.retries, self.settings.retry_pause);
        loop {
            let (error, again) = match self.try_once(&request).await {
                Ok(mut answer) => match refusal(&self.settings, &mut answer) {
                    None => return Ok(answer),
                    Some(error) => {
                        // Our server turns away before anything is done; a proxy's words say nothing about that.
                        let turned_away = matches!(answer.status, 429 | 503) && answer.is_ours;
                        let again = turned_away || (error.may_pass() && call.repeat == Repeat::Always);
                        (error, again)
                    }
                },
                Err(Missed { error, sent }) => (error, !sent || call.repeat == Repeat::Always),
            };
            match pauses.next(&error).filter(|_| again) {
                Some(pause) => {
                    tracing::debug!(%error, ?pause, "a call is tried again");
                    tokio::time::sleep(pause).await;
                }
                None => return Err(error),
            }
        }
    }

    async fn try_once(&self, request: &Request) -> std::result::Result<Answer, Missed> {
        // A body that is held in memory can always be sent again.
        let request = request.try_clone().unwrap_or_else(|| Request::new(Method::GET, self.settings.base_url.clone()));
        let response = self.client.execute(request).await.map_err(|error| self.missed(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.map_err(|error| self.missed(&error))?;
        Ok(Answer { status, headers, body: body.to_vec(), is_ours: false })
    }

    pub(super) fn request(&self, call: &Call) -> Result<Request> {
        let mut builder = self.client.request(call.method.clone(), call.url(&self.settings.base_url));
        if call.with_key {
            let Some(key) = &self.settings.api_key else {
                return Err(Error::Settings(
                    "there is no API key; set REFLECT_API_KEY, or give one with `ReflectClient::builder().api_key(…)`"
                        .into(),
                ));
            };
            builder = builder.bearer_auth(key.expose());
        }
        for (name, value) in &call.headers {
            builder = builder.header(*name, value);
        }
        if let Some(body) = &call.body {
            builder = builder.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        builder.build().map_err(|error| Error::Settings(format!("the request cannot be made: {error}")))
    }

    pub(super) fn missed(&self, error: &reqwest::Error) -> Missed {
        let url = self.settings.base_url.to_string();
        let sent = !error.is_connect();
        let error = if error.is_timeout() && sent {
            Error::TimedOut { url, seconds: self.settings.timeout.as_secs_f64() }
        } else {
            Error::Unreachable { url, problem: innermost(error) }
        };
        Missed { error, sent }
    }
}

/// A try to which no whole answer came.
pub(super) struct Missed {
    pub(super) error: Error,
    /// Whether the server may have got it.
    sent: bool,
}

/// What lies at the bottom of an error says most: "connection refused" rather than "error sending request".
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

//! A server that makes embeddings as the protocol says, except where its script says otherwise.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response},
    routing::post,
};
use reflect_core::{Clock, Entropy, Timestamp};
use reflect_embed::{Embedder, HashingEmbedder, HttpEmbedder, HttpEmbedderSettings};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// What a server does with a request.
pub(crate) enum Step {
    /// Answers this status, with these headers and this body.
    Answer(u16, &'static [(&'static str, &'static str)], String),
    /// Answers the right thing after it was changed.
    Change(fn(&mut Value)),
    /// Never answers.
    Hang,
    /// Breaks off in the middle of its answer.
    Cut,
    /// Answers without an end.
    Endless,
}

/// A request as it arrived.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
    pub(crate) at: tokio::time::Instant,
}

impl Seen {
    pub(crate) fn texts(&self) -> Vec<String> {
        self.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

#[derive(Clone, Default)]
struct Script {
    steps: Arc<Mutex<VecDeque<Step>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Texts with more bytes than this are refused.
    window: Option<usize>,
}

/// A running server. It ends with this value.
pub(crate) struct Endpoint {
    pub(crate) base_url: String,
    script: Script,
    _server: JoinSet<()>,
}

impl Endpoint {
    pub(crate) async fn start(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::start_with(steps, None).await
    }

    pub(crate) async fn with_window(window: usize) -> Self {
        Self::start_with([], Some(window)).await
    }

    async fn start_with(steps: impl IntoIterator<Item = Step>, window: Option<usize>) -> Self {
        let script = Script { steps: Arc::new(Mutex::new(steps.into_iter().collect())), window, ..Script::default() };
        let router = Router::new().route("/v1/embeddings", post(answer)).with_state(script.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base_url, script, _server: server }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.script.seen.lock().unwrap().clone()
    }

    /// Settings for this server, in a hurry.
    pub(crate) fn settings(&self) -> HttpEmbedderSettings {
        HttpEmbedderSettings {
            timeout: Duration::from_secs(2),
            patience: Duration::from_secs(20),
            ..HttpEmbedderSettings::new(&self.base_url, "small-model", 256)
        }
    }

    pub(crate) fn embedder(&self) -> HttpEmbedder {
        embedder(self.settings())
    }
}

pub(crate) fn embedder(settings: HttpEmbedderSettings) -> HttpEmbedder {
    HttpEmbedder::new(settings, Arc::new(Noon), Arc::new(NoEntropy)).unwrap()
}

/// Noon of a day in 2026, always.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }
}

/// Makes every pause the shortest.
struct NoEntropy;

impl Entropy for NoEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

async fn answer(State(script): State<Script>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let authorization = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let seen = Seen { authorization, body, at: tokio::time::Instant::now() };
    script.seen.lock().unwrap().push(seen.clone());
    let step = script.steps.lock().unwrap().pop_front();
    let texts = seen.texts();
    let too_long = |text: &String| script.window.is_some_and(|window| text.len() > window);
    if texts.iter().any(too_long) {
        return respond(400, &[], json!({"error": {"message": "the input is too long"}}).to_string());
    }
    let mut right = embeddings(&texts).await;
    match step {
        None => respond(200, &[("content-type", "application/json")], right.to_string()),
        Some(Step::Change(change)) => {
            change(&mut right);
            respond(200, &[], right.to_string())
        }
        Some(Step::Answer(status, headers, body)) => respond(status, headers, body),
        Some(Step::Hang) => std::future::pending().await,
        Some(Step::Cut) => {
            let start: String = right.to_string().chars().take(100).collect();
            let broken = std::io::Error::other("broken off");
            Response::new(Body::from_stream(futures_util::stream::iter([Ok(start), Err(broken)])))
        }
        Some(Step::Endless) => {
            let chunk = Bytes::from_static(&[b' '; 65_536]);
            Response::new(Body::from_stream(futures_util::stream::repeat_with(move || {
                Ok::<_, std::io::Error>(chunk.clone())
            })))
        }
    }
}

/// Twice the vectors of hashing, since an endpoint need not scale them, the last one first, since it may answer in any order.
async fn embeddings(texts: &[String]) -> Value {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = HashingEmbedder.embed(&texts).await.unwrap();
    let item = |(index, vector): (usize, Vec<f32>)| {
        let embedding: Vec<f32> = vector.iter().map(|value| value * 2.0).collect();
        json!({"object": "embedding", "index": index, "embedding": embedding})
    };
    let data: Vec<Value> = vectors.into_iter().enumerate().rev().map(item).collect();
    json!({"object": "list", "model": "small-model", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
}

fn respond(status: u16, headers: &[(&str, &str)], body: String) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Body::from(body)).unwrap()
}

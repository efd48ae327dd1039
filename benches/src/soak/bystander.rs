//! People in another project: they write runs with reviews, and ask for lessons.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::Instant};

use super::{
    restarts::{Seen, up},
    timeline::{Call, End, Timeline},
};
use crate::{load, server::MASTER_KEY};

const WRITERS: usize = 2;
const READERS: usize = 4;

/// How long one of them thinks before its next call.
const PAUSE: Duration = Duration::from_millis(50);

/// A call that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// What they were told is stored.
#[derive(Default)]
pub(super) struct Bystanders {
    acknowledged: Mutex<Vec<String>>,
    next: AtomicU64,
    finished: AtomicBool,
}

impl Bystanders {
    pub(super) fn spawn(
        self: &Arc<Self>,
        work: &mut JoinSet<()>,
        seen: &Seen,
        timeline: &Arc<Timeline>,
    ) -> anyhow::Result<()> {
        let caller =
            || anyhow::Ok(Caller { client: super::client()?, seen: seen.clone(), timeline: Arc::clone(timeline) });
        for _ in 0..WRITERS {
            work.spawn(Arc::clone(self).write(caller()?));
        }
        for _ in 0..READERS {
            work.spawn(Arc::clone(self).read(caller()?));
        }
        Ok(())
    }

    /// They come to an end after the calls they are in.
    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    /// The ids of the traces that were acknowledged.
    pub(super) fn acknowledged(&self) -> Vec<String> {
        self.acknowledged.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Writes every run until it is acknowledged, with the same idempotency key.
    async fn write(self: Arc<Self>, mut caller: Caller) {
        while !self.finished.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let body = load::trace(number);
            loop {
                let posted = Posted { path: "traces", body: &body, key: format!("soak-{number}") };
                if let Some(answer) = caller.call(Call::Write, posted).await {
                    let id = answer.get("trace_id").and_then(Value::as_str).unwrap_or_default().to_owned();
                    self.acknowledged.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(id);
                    break;
                }
                if self.finished.load(Ordering::Relaxed) {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn read(self: Arc<Self>, mut caller: Caller) {
        while !self.finished.load(Ordering::Relaxed) {
            let number = self.next.load(Ordering::Relaxed);
            let body = json!({"task": format!("Answer ticket {number}: where is the parcel?"), "limit": 5}).to_string();
            caller.call(Call::Query, Posted { path: "memory/query", body: &body, key: String::new() }).await;
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// What is posted, with an idempotency key where it writes.
struct Posted<'a> {
    path: &'static str,
    body: &'a str,
    key: String,
}

/// One of them, with connections of its own.
struct Caller {
    client: Client,
    seen: Seen,
    timeline: Arc<Timeline>,
}

impl Caller {
    /// One call to whichever server is up; what it was answered, if it was.
    async fn call(&mut self, call: Call, posted: Posted<'_>) -> Option<Value> {
        if self.seen.borrow().is_empty() {
            up(&mut self.seen).await;
            self.timeline.server_is_back();
        }
        let address = self.seen.borrow().clone();
        let begun = Instant::now();
        let answered = self.post(&address, posted).await;
        // A call that a restart interrupted says nothing about the server.
        if *self.seen.borrow() != address {
            return None;
        }
        let (end, answer) = match answered {
            Ok((status, body)) if status.is_success() => {
                (End::Answered(begun.elapsed()), serde_json::from_slice(&body).ok())
            }
            Ok((StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS, _)) => (End::Refused, None),
            _ => (End::Broken, None),
        };
        self.timeline.saw(call, end);
        answer
    }

    async fn post(&self, address: &str, posted: Posted<'_>) -> reqwest::Result<(StatusCode, Vec<u8>)> {
        let url = format!("http://{address}/v1/projects/bystander/{}", posted.path);
        let mut request = self.client.post(url).bearer_auth(MASTER_KEY).timeout(PATIENCE).body(posted.body.to_owned());
        if !posted.key.is_empty() {
            request = request.header("Idempotency-Key", posted.key);
        }
        let answer = request.header("Content-Type", "application/json").send().await?;
        Ok((answer.status(), answer.bytes().await?.to_vec()))
    }
}

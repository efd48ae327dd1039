//! One project has more to embed than the server can do, and what another one notices of it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use axum::http::Method;
use reflect_core::EmbedderId;
use reflect_embed::{BatchLimits, BatchingEmbedder, Caller, EmbedError, Embedder, HashingEmbedder, LIMITS};
use reflect_engine::Embedders;
use serde_json::json;
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    client::reviewed_run,
    test_app::{Setup, TestApp},
};

type Vectors = Result<Vec<Vec<f32>>, EmbedError>;

/// Hashing that finishes a batch for each permit, and writes down whom it was asked for.
#[derive(Clone)]
struct Slow {
    batches: Arc<Mutex<Vec<Vec<String>>>>,
    permits: Arc<Semaphore>,
}

#[async_trait]
impl Embedder for Slow {
    fn id(&self) -> EmbedderId {
        HashingEmbedder.id()
    }

    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Vectors {
        let starts = texts.iter().map(|text| text.split(' ').next().unwrap().to_owned()).collect();
        self.batches.lock().unwrap().push(starts);
        self.permits.acquire().await.unwrap().forget();
        HashingEmbedder.embed(texts).await
    }
}

/// Notes who asks, and asks on.
struct Noting<E> {
    inner: E,
    callers: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl<E: Embedder> Embedder for Noting<E> {
    fn id(&self) -> EmbedderId {
        self.inner.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.inner.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Vectors {
        self.inner.embed(texts).await
    }

    async fn embed_for(&self, caller: Caller<'_>, texts: &[&str]) -> Vectors {
        self.callers.lock().unwrap().push(caller.name.to_owned());
        self.inner.embed_for(caller, texts).await
    }
}

/// How many of the largest tasks of one project may wait.
const MAY_WAIT: usize = LIMITS.waiting_tokens / LIMITS.text_tokens;

/// A server whose embedder embeds when it is let, and a list of who asked it.
fn slow_app() -> (Slow, Arc<Mutex<Vec<String>>>, TestApp) {
    let slow = Slow { batches: Arc::default(), permits: Arc::new(Semaphore::new(0)) };
    let callers: Arc<Mutex<Vec<String>>> = Arc::default();
    let limits = BatchLimits { longest_wait: Duration::from_secs(3_600), ..LIMITS };
    let inner = BatchingEmbedder::new(slow.clone(), limits, 1);
    let embedder = Arc::new(Noting { inner, callers: Arc::clone(&callers) });
    let app = Setup { embedders: Embedders::new("builtin", embedder), ..Setup::default() }.start();
    (slow, callers, app)
}

/// How many batches were embedded before a query of this project that begins with its name, once it was let.
async fn batches_before(project: &str, slow: &Slow, callers: &Mutex<Vec<String>>, app: &TestApp) -> usize {
    let client = app.project(project);
    let task = format!("{project}-query asks");
    let mut asked = JoinSet::new();
    asked.spawn(async move { client.post("/memory/query", json!({"task": task})).await });
    while !callers.lock().unwrap().iter().any(|caller| caller == project) {
        tokio::task::yield_now().await;
    }
    let begun = slow.batches.lock().unwrap().len();
    slow.permits.add_permits(3);
    asked.join_next().await.unwrap().unwrap().assert_status(200);
    let batches = slow.batches.lock().unwrap().clone();
    let name = format!("{project}-query");
    batches.iter().position(|batch| batch.contains(&name)).unwrap() - begun
}

#[tokio::test]
async fn a_flood_of_traces_holds_up_no_query_of_whichever_project() {
    for project in ["flood", "bystander"] {
        let (slow, callers, app) = slow_app();
        let flood = app.project("flood");
        for number in 0..60 {
            let task = format!("flood {number} {}", "word ".repeat(6_000));
            flood.post("/traces", reviewed_run(&task, json!({"result": "fail"}))).await.assert_status(200);
        }
        let query = async {
            while slow.batches.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            batches_before(project, &slow, &callers, &app).await
        };
        let before = tokio::select! {
            _ = app.drain() => panic!("the lessons cannot all be done"),
            before = query => before,
        };
        assert!(before <= 1, "{before} batches came before the query of {project}");
    }
}

#[tokio::test]
async fn a_flood_of_long_tasks_holds_up_no_other_project() {
    let (slow, callers, app) = slow_app();
    let mut flood = JoinSet::new();
    for number in 0..94 {
        let client = app.project("flood");
        let task = format!("flood {number} {}", "word ".repeat(6_000));
        flood.spawn(async move { client.post("/memory/query", json!({"task": task})).await });
    }
    // One is being embedded, some wait, and all others hear at once when to come back.
    for _ in 0..94 - 1 - MAY_WAIT {
        let refused = flood.join_next().await.unwrap().unwrap().assert_code("unavailable");
        assert_eq!(refused.header("retry-after"), "5");
    }

    let before = batches_before("bystander", &slow, &callers, &app).await;
    assert!(before <= 1, "{before} batches came before the bystander's");
    let metrics = app.send(Method::GET, "/metrics", None, &[]).await.ok();
    let counted = format!("reflect_embedder_busy_total{{embedder=\"{}\"}} {}", HashingEmbedder.id(), 93 - MAY_WAIT);
    assert!(metrics.as_str().unwrap().contains(&counted), "{metrics}");
    // Who goes away takes the work along: only what had begun is left.
    flood.shutdown().await;
}

/// Hashing that can be busy.
struct Moody {
    is_busy: AtomicBool,
}

#[async_trait]
impl Embedder for Moody {
    fn id(&self) -> EmbedderId {
        HashingEmbedder.id()
    }

    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Vectors {
        if self.is_busy.load(Ordering::Relaxed) {
            return Err(EmbedError::Busy("it says so"));
        }
        HashingEmbedder.embed(texts).await
    }
}

fn moody() -> (Arc<Moody>, TestApp) {
    let moody = Arc::new(Moody { is_busy: AtomicBool::new(true) });
    let embedders = Embedders::new("builtin", Arc::clone(&moody) as _);
    (moody, Setup { embedders, ..Setup::default() }.start())
}

#[tokio::test]
async fn a_busy_embedder_uses_up_none_of_a_lessons_attempts() {
    let (moody, app) = moody();
    let trace_id = app.create(reviewed_run("Refund order 4411", json!({"result": "pass"}))).await;
    for _ in 0..40 {
        app.drain().await;
        app.clock.turn_seconds(60);
    }
    assert_ne!(app.trace(&trace_id).await["ingest_status"], "failed");
    moody.is_busy.store(false, Ordering::Relaxed);
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["ingest_status"], "completed");
    assert_eq!(app.query(json!({"task": "Refund order 4411"})).await.len(), 1);
}

#[tokio::test]
async fn a_query_hears_when_to_ask_a_busy_embedder_again() {
    let (moody, app) = moody();
    let refused = app.post("/memory/query", json!({"task": "Refund"})).await.assert_code("unavailable");
    assert_eq!(refused.header("retry-after"), "5");
    moody.is_busy.store(false, Ordering::Relaxed);
    app.post("/memory/query", json!({"task": "Refund"})).await.assert_status(200);
}

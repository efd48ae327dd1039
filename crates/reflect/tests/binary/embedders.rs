//! Embedders over HTTP, and switching between embedders, with the real binary and a real endpoint.

use std::{
    path::Path,
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use serde_json::{Value, json};

use crate::{
    http::Http,
    server_process::{ServerProcess, eventually, run, serve},
};

const MEMORIES: usize = 40;
const SETTINGS: &str = "/v1/projects/default/settings";

/// What the endpoint may still serve, and which texts it has seen.
type Served = (Arc<AtomicUsize>, Arc<Mutex<Vec<String>>>);

/// An endpoint that counts bytes into eight numbers, for as many texts as it may serve; then it is unavailable.
struct Endpoint {
    url: String,
    budget: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<String>>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Endpoint {
    fn start(budget: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let budget = Arc::new(AtomicUsize::new(budget));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let state = (Arc::clone(&budget), Arc::clone(&seen));
        let router = Router::new().route("/v1/embeddings", post(embeddings)).with_state(state);
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { url, budget, seen, runtime: Some(runtime) }
    }

    /// A server that has the built-in embedder and this one.
    fn beside_builtin(&self, data: &Path) -> Command {
        let mut command = serve(data);
        command
            .env("REFLECT_EMBEDDER", "builtin,http/bytes")
            .env("REFLECT_EMBEDDER_URL", &self.url)
            .env("REFLECT_EMBEDDER_DIMENSION", "8");
        command
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn embeddings(
    State((budget, seen)): State<Served>,
    Json(request): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    let texts = request["input"].as_array().unwrap();
    let spend = |left: usize| left.checked_sub(texts.len());
    budget.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    seen.lock().unwrap().extend(texts.iter().map(|text| text.as_str().unwrap().to_owned()));
    let item = |(index, text): (usize, &Value)| {
        let mut counts = [1_u32; 8];
        text.as_str().unwrap().bytes().for_each(|byte| counts[usize::from(byte) % 8] += 1);
        json!({"index": index, "embedding": counts})
    };
    Ok(Json(json!({"data": texts.iter().enumerate().map(item).collect::<Vec<_>>()})))
}

fn learn(http: &Http) {
    for number in 0..MEMORIES {
        let body = json!({
            "task": format!("Refund order {number}"),
            "trajectory": [],
            "review": {"result": "pass", "reflection": {"summary": format!("Look order {number} up first.")}},
        });
        http.post("/v1/projects/default/traces", &body).unwrap().good();
    }
}

fn found(http: &Http) -> usize {
    let query = json!({"task": "Refund an order", "limit": 1000, "similarity_threshold": -1, "mmr_lambda": 1});
    http.post("/v1/projects/default/memory/query", &query).unwrap().good().as_array().unwrap().len()
}

fn settings(http: &Http) -> Value {
    http.get(SETTINGS).unwrap().good()
}

#[track_caller]
fn wait_for(http: &Http, embedder: &str) {
    eventually("the project has its new embedder", || (settings(http)["embedder"] == embedder).then_some(()));
}

#[test]
fn a_switch_outlives_a_kill_and_an_endpoint_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    // One batch of memories: a task and a lesson of each.
    let endpoint = Endpoint::start(2 * 32);
    let mut server = ServerProcess::start_with(folder.path(), &mut endpoint.beside_builtin(folder.path()));
    let http = server.client();
    learn(&http);
    let refused = http.patch(SETTINGS, &json!({"embedder": "http/gpt"})).unwrap();
    assert_eq!(refused.status, 422, "{refused:?}");
    let started = http.patch(SETTINGS, &json!({"embedder": "http/bytes"})).unwrap().good();
    assert_eq!(
        (&started["embedder"], &started["embedder_switch"]["to"]),
        (&json!("reflect-mini-4"), &json!("http:bytes:8"))
    );
    eventually("the endpoint has given up", || {
        settings(&http)["embedder_switch"]["problem"].as_str().map(str::to_owned)
    });
    assert_eq!(settings(&http)["embedder_switch"]["done"], 32);
    assert_eq!(found(&http), MEMORIES, "queries go on");
    server.kill();

    endpoint.budget.store(1_000, Ordering::SeqCst);
    let mut server = ServerProcess::start_with(folder.path(), &mut endpoint.beside_builtin(folder.path()));
    let http = server.client();
    wait_for(&http, "http:bytes:8");
    assert_eq!(endpoint.budget.load(Ordering::SeqCst), 1_000 - 2 * (MEMORIES - 32), "nothing was embedded twice");
    assert_eq!((found(&http), &settings(&http)["embedder_switch"]), (MEMORIES, &Value::Null));
    server.kill();

    // Without the endpoint, the project goes back to what the server has.
    drop(endpoint);
    let server = ServerProcess::start(folder.path());
    let http = server.client();
    wait_for(&http, "reflect-mini-4");
    assert_eq!(found(&http), MEMORIES);
}

#[test]
fn what_must_not_leave_is_struck_before_the_endpoint_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::start(1_000);
    let mut command = endpoint.beside_builtin(folder.path());
    command
        .env("REFLECT_EMBEDDER", "http/bytes")
        .env("REFLECT_LLM_REDACT", "on")
        .env("REFLECT_LLM_REDACT_PHONES", "on")
        .env("REFLECT_LLM_REDACT_PATTERNS", r"KD-\d+=>customer");
    let server = ServerProcess::start_with(folder.path(), &mut command);
    let http = server.client();
    let task = "Refund KD-17, ann@example.org, +49 30 1234567";
    let review = json!({"result": "pass", "reflection": {"summary": "Look KD-17 up first."}});
    let body = json!({"task": task, "trajectory": [], "review": review});
    http.post("/v1/projects/default/traces", &body).unwrap().good();
    let query = json!({"task": format!("{task} again"), "similarity_threshold": -1});
    let lessons = eventually("the lesson is found", || {
        let answer = http.post("/v1/projects/default/memory/query", &query).unwrap().good();
        answer.as_array().filter(|found| !found.is_empty()).cloned()
    });
    assert_eq!(lessons[0]["task"], task, "what stays here stays as it is");
    let mut seen = endpoint.seen.lock().unwrap().clone();
    seen.sort();
    seen.dedup();
    let (task, lesson) = ("Refund [customer], [email], [phone]", "Look [customer] up first.");
    assert_eq!(seen, [lesson, task, &format!("{task} again")]);
}

#[test]
fn an_endpoint_that_cannot_be_one_is_refused_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = serve(&data);
    command.args(["--embedder", "http/bytes", "--embedder-url", "localhost:11434", "--embedder-dimension", "8"]);
    let said = run(command.env("REFLECT_EMBEDDER_KEY", "hunter2")).refused();
    assert!(said.contains("the embedder's URL") && !said.contains("hunter2"), "{said}");
    assert!(!data.exists(), "a refused start made the data folder");
}

#[test]
fn a_server_whose_embedder_is_dead_is_not_ready_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::start(0);
    let mut command = serve(folder.path());
    command
        .env("REFLECT_EMBEDDER", "http/bytes")
        .env("REFLECT_EMBEDDER_URL", &endpoint.url)
        .env("REFLECT_EMBEDDER_DIMENSION", "8");
    let server = ServerProcess::start_with(folder.path(), &mut command);
    let http = server.client();
    let ready = http.get("/ready").unwrap();
    assert_eq!((ready.status, &ready.body["status"]), (503, &json!("not_ready")), "{ready:?}");
    assert_eq!(ready.body["problems"][0]["part"], "embedder");
    assert!(!ready.body.to_string().contains(&endpoint.url), "strangers are told no addresses: {ready:?}");
    endpoint.budget.store(1_000, Ordering::SeqCst);
    eventually("it is ready again", || (http.get("/ready").unwrap().status == 200).then_some(()));
    // A server that is asked all the time asks its embedder now and then.
    let before = endpoint.seen.lock().unwrap().len();
    (0..50).for_each(|_| assert_eq!(http.get("/ready").unwrap().status, 200));
    assert!(endpoint.seen.lock().unwrap().len() <= before + 1);
}

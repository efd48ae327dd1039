//! What becomes of a review when the provider of the model misbehaves, over a real connection.

use std::{sync::Arc, time::Duration};

use reflect_engine::{EngineSettings, ModelParts};
use reflect_llm::{ChatModel, HttpClient, ProviderSettings, connect};
use serde_json::{Value, json};

use crate::{
    client::{reviewed_run, run, text},
    fakes::FakeClock,
    faulty_provider::{FaultyProvider, Manner},
    test_app::{Setup, TestApp},
};

/// A server whose model is this provider's.
fn served_by(provider: &FaultyProvider) -> TestApp {
    let http = HttpClient::without_proxy().unwrap();
    let settings =
        ProviderSettings::new(http, Arc::new(FakeClock::new())).base_url(format!("http://{}/v1", provider.address));
    let model: Arc<dyn ChatModel> = connect("openai/tester", &settings).unwrap();
    let models = ModelParts {
        listed: vec![model],
        reflector: Some("openai/tester".into()),
        call_timeout: Some(Duration::from_millis(800)),
        ..ModelParts::default()
    };
    let seconds = Duration::from_secs;
    let settings =
        EngineSettings { review_deadline: seconds(6), attempt_timeout: seconds(4), ..EngineSettings::default() };
    Setup { models, settings, ..Setup::default() }.start()
}

async fn metrics(app: &TestApp) -> String {
    text(&app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok())
}

/// Reviews one run inline and one afterwards while the provider misbehaves, and then lets it recover.
async fn lives_through(manner: Manner, outcome: &str) {
    let provider = FaultyProvider::start(manner).await;
    let app = served_by(&provider);
    let inline =
        app.create(reviewed_run("Refund order 7", json!({"result": "fail", "feedback_text": "paid twice"}))).await;
    app.drain().await;
    let deferred = app.create(run("Refund order 8")).await;
    app.review(&deferred, json!({"result": "pass"})).await.ok();
    let mut memory_ids = Vec::new();
    for trace_id in [&inline, &deferred] {
        let trace = app.trace(trace_id).await;
        assert_eq!(
            (&trace["review_status"], &trace["ingest_status"]),
            (&json!("reviewed"), &json!("completed")),
            "{manner:?}"
        );
        let memory = app.memory(&text(&trace["created_memory_id"])).await;
        let written_by = &memory["written_by"];
        assert_eq!(
            (&written_by["reflector"], &written_by["stands_in_for"]),
            (&json!("builtin"), &json!("openai/tester"))
        );
        assert!(!text(&memory["summary"]).is_empty(), "{manner:?}: {memory}");
        memory_ids.push(text(&memory["id"]));
    }
    let feedback = app.memory(&memory_ids[0]).await;
    assert!(feedback.to_string().contains("Paid twice"), "an honest lesson holds what the reviewer said: {feedback}");
    let shown = app.query_ids(json!({"task": "Refund order 7"})).await;
    assert!(shown.contains(&memory_ids[0]), "{manner:?}");
    let during = metrics(&app).await;
    let call = format!("reflect_llm_calls_total{{model=\"openai/tester\",role=\"reflector\",outcome=\"{outcome}\"}}");
    assert!(during.contains(&call), "{manner:?}: {call} is not in\n{during}");
    assert!(during.contains("reflect_stand_ins_total{outcome=\"stored\"} 2"), "{manner:?}\n{during}");

    provider.set(Manner::Fine);
    let asked = provider.times_asked();
    for _ in 0..4 {
        app.clock.turn_seconds(60);
        app.drain().await;
    }
    assert!(provider.times_asked() > asked);
    for memory_id in &memory_ids {
        let memory = app.memory(memory_id).await;
        assert_eq!((&memory["written_by"]["reflector"], &memory["revision"]), (&json!("llm"), &json!(2)), "{manner:?}");
        assert_eq!(memory["summary"], "The refund went through.");
    }
    let after = metrics(&app).await;
    assert!(after.contains("reflect_stand_ins_total{outcome=\"replaced\"} 2"), "{manner:?}\n{after}");
}

#[tokio::test]
async fn a_provider_that_limits_its_rate() {
    lives_through(Manner::RateLimited, "rate_limited").await;
}

#[tokio::test]
async fn a_provider_that_fails() {
    lives_through(Manner::Broken, "unavailable").await;
}

#[tokio::test]
async fn a_provider_that_hangs() {
    lives_through(Manner::Hanging, "timeout").await;
}

#[tokio::test]
async fn a_provider_that_is_cut_off() {
    lives_through(Manner::Cut, "unavailable").await;
}

#[tokio::test]
async fn a_provider_that_answers_nothing() {
    lives_through(Manner::Empty, "malformed").await;
}

#[tokio::test]
async fn a_provider_that_answers_a_web_page() {
    lives_through(Manner::Html, "malformed").await;
}

#[tokio::test]
async fn a_provider_that_answers_json_of_another_protocol() {
    lives_through(Manner::OtherJson, "malformed").await;
}

#[tokio::test]
async fn a_model_that_answers_json_of_another_shape() {
    lives_through(Manner::OtherShape, "answered").await;
}

#[tokio::test]
async fn a_model_that_answers_no_words() {
    lives_through(Manner::NoWords, "answered").await;
}

#[tokio::test]
async fn a_provider_that_is_well() {
    let provider = FaultyProvider::start(Manner::Fine).await;
    let app = served_by(&provider);
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    let memory = app.memory(&text(&app.trace(&trace_id).await["created_memory_id"])).await;
    let written_by = &memory["written_by"];
    assert_eq!(memory["summary"], "The refund went through.");
    assert_eq!((&written_by["reflector"], &written_by["stands_in_for"]), (&json!("llm"), &Value::Null));
    assert_eq!((&written_by["input_tokens"], &written_by["output_tokens"]), (&json!(321), &json!(45)));
}

#[tokio::test]
async fn nobody_is_there_at_all() {
    let provider = FaultyProvider::start(Manner::Fine).await;
    let app = served_by(&provider);
    drop(provider);
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
    assert!(metrics(&app).await.contains("outcome=\"unavailable\""));
}

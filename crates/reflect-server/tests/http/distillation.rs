//! Queries by conversation.

use std::sync::Arc;

use reflect_llm::{ChatModel, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    fakes::down,
    test_app::{Setup, TestApp},
};

fn conversation() -> Value {
    json!([
        {"role": "system", "content": "You are a support agent."},
        {"role": "user", "content": "Hello there!"},
        {"role": "assistant", "content": "How can I help?"},
        {"role": "user", "content": "Please refund order 4411, it arrived broken."}
    ])
}

#[tokio::test]
async fn a_conversation_is_answered_with_its_intent_and_its_memories() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order that arrived broken").await;
    let answer = app.post("/memory/query", json!({"messages": conversation(), "explain": true})).await;
    assert!(!answer.header("x-retrieval-id").is_empty());
    let json = answer.ok();
    assert!(json["intent"].as_str().unwrap().contains("refund order 4411"), "{json}");
    assert_eq!(json["distilled_by"], "builtin");
    assert_eq!(json["memories"][0]["id"], json!(memory_id));
    assert!(json["memories"][0]["explain"].is_object());
}

#[tokio::test]
async fn a_model_distils_where_there_is_one() {
    let model = ScriptedModel::answering(|_| ScriptedStep::text(r#"{"intent": "refund a broken order"}"#));
    let app = Setup::with_model(Arc::new(model.named("openai/tester"))).start();
    let json = app.post("/memory/query", json!({"messages": conversation()})).await.ok();
    assert_eq!((&json["intent"], &json["distilled_by"]), (&json!("refund a broken order"), &json!("openai/tester")));
    let ready = app.send(axum::http::Method::GET, "/ready", None, &[]).await;
    assert!(!ready.json["problems"].to_string().contains("openai/tester"), "it answers: {}", ready.json);
}

#[tokio::test]
async fn a_rule_distils_when_the_model_does_not_answer() {
    let model = ScriptedModel::answering(|_| ScriptedStep::error(down()));
    let app = Setup::with_model(Arc::new(model.named("openai/tester"))).start();
    let json = app.post("/memory/query", json!({"messages": conversation()})).await.ok();
    assert_eq!(json["distilled_by"], "builtin");
    assert!(json["intent"].as_str().unwrap().contains("refund order 4411"), "{json}");
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    assert!(
        metrics.as_str().unwrap().contains("reflect_llm_fallbacks_total{role=\"distiller\",reason=\"unavailable\"} 1")
    );
}

#[tokio::test]
async fn a_model_that_is_out_is_not_asked_to_distil() {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::error(down())).named("openai/tester"));
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    for _ in 0..5 {
        let json = app.post("/memory/query", json!({"messages": conversation()})).await.ok();
        assert_eq!(json["distilled_by"], "builtin");
    }
    assert_eq!(model.requests().len(), 3);
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    for line in [
        "reflect_llm_fallbacks_total{role=\"distiller\",reason=\"outage\"} 2",
        "reflect_llm_out{model=\"openai/tester\"} 1",
    ] {
        assert!(metrics.as_str().unwrap().contains(line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn a_conversation_without_words_finds_nothing() {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    let json = app.post("/memory/query", json!({"messages": [{"role": "user", "content": null}]})).await.ok();
    assert_eq!((&json["intent"], &json["memories"]), (&json!(""), &json!([])));
}

#[tokio::test]
async fn a_task_may_differ_from_the_one_that_was_searched_with() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order that arrived broken").await;
    let answer = app.post("/memory/query", json!({"messages": conversation()})).await;
    let retrieval_id = answer.header("x-retrieval-id").to_owned();
    let mut body = crate::client::run("Refund order 4411");
    body["retrieved_memory_ids"] = json!([memory_id]);
    body["retrieval_id"] = json!(retrieval_id);
    let trace_id = app.create(body).await;
    assert_eq!(app.trace(&trace_id).await["warnings"], json!([]));
}

#[tokio::test]
async fn what_is_no_conversation_is_refused() {
    let app = TestApp::new();
    let query = async |body: Value| app.post("/memory/query", body).await;
    query(json!({})).await.assert_invalid("task");
    query(json!({"task": "x", "messages": conversation()})).await.assert_invalid("messages");
    query(json!({"messages": []})).await.assert_invalid("messages");
    query(json!({"messages": "hello"})).await.assert_invalid("messages");
    query(json!({"messages": ["hello"]})).await.assert_invalid("messages[0]");
    query(json!({"messages": null})).await.assert_invalid("messages");
    query(json!({"messages": conversation(), "limit": 0})).await.assert_invalid("limit");
    let writer = app.holding(&["trace:write"]).await;
    writer.post("/memory/query", json!({"messages": conversation()})).await.assert_code("forbidden");
}

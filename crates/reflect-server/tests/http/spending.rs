//! The limit on what models may cost in a day.

use std::sync::Arc;

use reflect_engine::ModelParts;
use reflect_llm::{ChatModel, ScriptedModel};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, text},
    fakes::lesson_step,
    test_app::{Setup, TestApp},
};

/// A server whose model costs a cent a lesson, and which may spend two and a half a day.
fn app() -> (TestApp, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::answering(|_| lesson_step("Paid for.")).named("openai/tester"));
    let setup = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>);
    let models = ModelParts { daily_limit_usd: Some(0.025), ..setup.models.clone() };
    (Setup { models, ..setup }.start(), model)
}

async fn reflector(app: &Client) -> (Value, String) {
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    let trace = app.trace(&trace_id).await;
    assert_eq!(trace["review_status"], "reviewed");
    let memory_id = text(&trace["created_memory_id"]);
    (app.memory(&memory_id).await["written_by"]["reflector"].clone(), memory_id)
}

#[tokio::test]
async fn once_the_days_money_is_spent_rules_write_until_midnight() {
    let (app, model) = app();
    for _ in 0..3 {
        assert_eq!(reflector(&app).await.0, "llm", "the last call may go over by what it costs");
    }
    let (by, memory_id) = reflector(&app).await;
    assert_eq!(by, "builtin");
    assert_eq!(model.requests().len(), 3);
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    for line in [
        "reflect_llm_fallbacks_total{role=\"reflector\",reason=\"budget\"} 1",
        "reflect_llm_spent_today_usd 0.03",
        "reflect_llm_daily_limit_usd 0.025",
        "reflect_llm_tokens_total{model=\"openai/tester\",role=\"reflector\",direction=\"input\"} 3000",
    ] {
        assert!(metrics.as_str().unwrap().contains(line), "{line} is not in\n{metrics}");
    }
    app.clock.turn_seconds(86_400);
    app.drain().await;
    let replaced = app.memory(&memory_id).await;
    assert_eq!((&replaced["written_by"]["reflector"], &replaced["revision"]), (&json!("llm"), &json!(2)));
}

#[tokio::test]
async fn a_restart_does_not_forget_what_was_spent() {
    let (app, model) = app();
    for _ in 0..3 {
        reflector(&app).await;
    }
    let app = app.restart();
    assert_eq!(reflector(&app).await.0, "builtin");
    assert_eq!(model.requests().len(), 3);
}

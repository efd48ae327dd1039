//! Which model a project may pick, and what it gets then.

use std::sync::Arc;

use reflect_engine::ModelParts;
use reflect_llm::ScriptedModel;
use serde_json::{Value, json};

use crate::{
    client::text,
    fakes::lesson_step,
    test_app::{Setup, TestApp},
};

/// Two models are listed; the first writes lessons unless a project says otherwise.
fn app() -> TestApp {
    let model = |name: &str| {
        let summary = format!("By {name}.");
        Arc::new(ScriptedModel::answering(move |_| lesson_step(&summary)).named(name))
    };
    let models = ModelParts {
        listed: vec![model("openai/big"), model("ollama/small")],
        reflector: Some("openai/big".into()),
        ..ModelParts::default()
    };
    Setup { models, ..Setup::default() }.start()
}

async fn writer(app: &TestApp) -> Value {
    let memory_id = app.learned("Refund order 7").await;
    let memory = app.memory(&memory_id).await;
    match &memory["written_by"]["model"] {
        Value::Null => memory["written_by"]["reflector"].clone(),
        model => model.clone(),
    }
}

#[tokio::test]
async fn a_project_picks_among_the_models_that_are_listed() {
    let app = app();
    assert_eq!(writer(&app).await, "openai/big");
    let changed = app.patch("/settings", json!({"reflector": "ollama/small"})).await.ok();
    assert_eq!(changed["reflector"], "ollama/small");
    assert_eq!(writer(&app).await, "ollama/small");
    app.patch("/settings", json!({"reflector": "builtin"})).await.ok();
    assert_eq!(writer(&app).await, "builtin");
    app.patch("/settings", json!({"reflector": null})).await.ok();
    assert_eq!(writer(&app).await, "openai/big");
}

#[tokio::test]
async fn a_model_that_is_not_listed_is_refused_and_the_refusal_says_what_there_is() {
    let app = app();
    let refused = app.patch("/settings", json!({"reflector": "openai/other"})).await.assert_invalid("reflector");
    assert!(text(&refused.json["error"]["message"]).contains("`builtin`, `ollama/small`, `openai/big`"));
    let refused = app.patch("/settings", json!({"judge": "builtin"})).await.assert_invalid("judge");
    assert!(text(&refused.json["error"]["message"]).contains("`off`, `ollama/small`, `openai/big`"));
    assert_eq!(app.get("/settings").await.ok()["reflector"], Value::Null);
}

#[tokio::test]
async fn a_rubric_is_kept_and_has_a_longest_length() {
    let app = app();
    let rubric = "The refund must be paid once.";
    let changed = app.patch("/settings", json!({"judge": "openai/big", "judge_rubric": rubric})).await.ok();
    assert_eq!((&changed["judge"], &changed["judge_rubric"]), (&json!("openai/big"), &json!(rubric)));
    app.patch("/settings", json!({"judge_rubric": "x".repeat(20_001)})).await.assert_invalid("judge_rubric");
    assert_eq!(app.get("/settings").await.ok(), changed);
}

#[tokio::test]
async fn readiness_names_who_writes_by_default() {
    let ready = app().send(axum::http::Method::GET, "/ready", None, &[]).await;
    assert_eq!(ready.json["reflector"], "openai/big");
}

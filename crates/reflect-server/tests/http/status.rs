//! `/health`, `/ready`, and what every answer has in common.

use std::{sync::Arc, time::Duration};

use axum::http::Method;
use reflect_llm::ChatModel;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{Client, reviewed_run},
    fakes::{Script, Step, Weather, weathered_model},
    test_app::{Setup, TestApp},
};

#[tokio::test]
async fn alive_needs_no_key() {
    let app = TestApp::new();
    let health = app.with_key("").send(Method::GET, "/health", None, &[]).await.ok();
    assert_eq!(health["status"], "ok");
    assert!(health.as_object().unwrap().values().all(serde_json::Value::is_string));
}

#[tokio::test]
async fn alive_with_a_key_that_is_none() {
    let app = TestApp::new();
    app.with_key("nonsense").send(Method::GET, "/health", None, &[]).await.ok();
}

#[tokio::test]
async fn other_methods_are_told_which_one_works() {
    let app = TestApp::new();
    let answer = app.send(Method::POST, "/health", None, &[]).await;
    let answer = answer.assert_code("method_not_allowed");
    assert!(answer.header("allow").contains("GET"));
}

#[tokio::test]
async fn ready_while_the_worker_runs() {
    let (app, background) = Setup::default().start_with_worker().await;
    assert_answer!("ready", &app.with_key("").send(Method::GET, "/ready", None, &[]).await.ok());
    background.stop().await;
    let stopped = app.send(Method::GET, "/ready", None, &[]).await.assert_status(503);
    assert_eq!((&stopped.json["status"], &stopped.json["worker"]), (&json!("not_ready"), &json!("stopped")));
}

#[tokio::test]
async fn not_ready_without_a_worker() {
    let app = TestApp::new();
    let answer = app.send(Method::GET, "/ready", None, &[]).await.assert_status(503);
    assert_eq!(answer.json["store"], "open");
}

#[tokio::test]
async fn errors_have_one_shape_and_name_the_request() {
    let app = TestApp::new();
    let headers = [("x-request-id", "mine-1")];
    let missing = app.in_project("/traces/018f0000-0000-7000-8000-000000000000");
    let answer = app.send(Method::GET, &missing, None, &headers).await.assert_code("not_found");
    assert_eq!(answer.header("x-request-id"), "mine-1");
    assert_eq!(answer.json["error"]["request_id"], "mine-1");
    assert_answer!("error", &answer.json);

    let query = json!({"task": "x", "lambda": 7});
    let answer = app.post("/memory/query", query).await.assert_invalid("lambda");
    assert_eq!(answer.json["error"]["request_id"], answer.header("x-request-id"));
    assert_answer!("error_with_path", &answer.json);
}

#[tokio::test]
async fn a_path_that_leads_nowhere_is_an_error_too() {
    let app = TestApp::new();
    app.send(Method::GET, "/v2/projects", None, &[]).await.assert_code("not_found");
    app.send(Method::GET, "/v1/projects/%FF/traces", None, &[]).await.assert_code("bad_request");
    app.send(Method::GET, "/v1/projects/a%00b/traces", None, &[]).await.assert_invalid("project_id");
}

#[tokio::test]
async fn a_method_that_a_path_does_not_have_is_named_and_the_others_are_listed() {
    let app = TestApp::new();
    let answer = app.send(Method::PUT, &app.in_project("/traces"), None, &[]).await;
    assert!(answer.headers["allow"].to_str().unwrap().contains("POST"), "{:?}", answer.headers);
    assert!(answer.json["error"]["message"].as_str().unwrap().contains("no PUT"), "{}", answer.json);
    answer.assert_code("method_not_allowed");
}

async fn problems(client: &Client) -> Value {
    client.send(Method::GET, "/ready", None, &[]).await.json["problems"].clone()
}

async fn write_lesson(app: &TestApp) {
    app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
}

#[tokio::test]
async fn a_model_that_fails_is_named_with_since_when_and_rules_stand_in() {
    let (model, weather) = weathered_model();
    let (app, background) = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start_with_worker().await;
    *weather.lock().unwrap() = Weather::Down;
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.until_reviewed(&trace_id).await;
    let degraded = app.send(Method::GET, "/ready", None, &[]).await.ok();
    assert_eq!(degraded["status"], "degraded");
    let problem = &degraded["problems"][0];
    assert_eq!(problem["part"], "model");
    assert!(problem["problem"].as_str().unwrap().contains("`openai/tester`"), "{problem}");
    assert!(problem["since"].as_str().unwrap().starts_with("2026-"), "{problem}");
    assert_eq!(problem["said"], "the provider is not available: the provider is down");
    for other in [app.with_key(""), app.with_key("rf_live_nobody"), app.holding(&["trace:read"]).await] {
        let told = problems(&other).await;
        assert_eq!(
            (&told[0]["problem"], told[0].get("said")),
            (&problem["problem"], None),
            "they hear our words alone"
        );
    }

    *weather.lock().unwrap() = Weather::Fine;
    app.clock.turn_seconds(3_700);
    while app.send(Method::GET, "/ready", None, &[]).await.ok()["status"] != "ready" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    background.stop().await;
}

#[tokio::test]
async fn lessons_that_fail_one_after_the_other_are_a_reason_not_to_be_ready_for_a_while() {
    let app = TestApp::with_reflector(Script::new([
        Step::Permanent("no"),
        Step::Permanent("no"),
        Step::Permanent("no"),
        Step::Permanent("no"),
    ]));
    write_lesson(&app).await;
    write_lesson(&app).await;
    assert_eq!(problems(&app).await, Value::Null, "two may be about their runs");
    write_lesson(&app).await;
    let found = problems(&app).await;
    assert_eq!((&found[0]["part"], found[0]["since"].is_string()), (&json!("reflector"), true), "{found}");
    app.clock.turn_seconds(301);
    assert_eq!(problems(&app).await, Value::Null, "somebody has to try");
    write_lesson(&app).await;
    assert_eq!(problems(&app).await[0]["part"], "reflector");
    write_lesson(&app).await;
    assert_eq!(problems(&app).await, Value::Null, "one was written");
}

//! `/health`, `/ready`, and what every answer has in common.

use axum::http::Method;
use serde_json::json;

use crate::{
    assert_answer,
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

//! Requests that are sent twice with the same `Idempotency-Key`.

use axum::http::Method;
use reflect_core::Outcome;
use serde_json::json;

use crate::{
    client::{Client, reviewed_run, run, text},
    test_app::TestApp,
};

async fn count_traces(client: &Client) -> usize {
    client.get("/traces").await.ok().as_array().unwrap().len()
}

#[tokio::test]
async fn a_trace_sent_twice_is_stored_once() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = reviewed_run("Refund order 7", json!({"result": "pass"}));
    body["retrieved_memory_ids"] = json!([memory_id]);
    let first = app.post_once("k1", "/traces", body.clone()).await.ok();
    let again = app.post_once("k1", "/traces", body).await.ok();
    assert_eq!(first, again);
    assert_eq!(first["ingest_status"], "queued");
    assert_eq!(count_traces(&app).await, 2);
    assert_eq!(app.utility(&memory_id).await, 0.65);
}

#[tokio::test]
async fn a_trace_sent_twice_at_once_is_stored_once() {
    let app = TestApp::new();
    let body = reviewed_run("Refund order 7", json!({"result": "pass"}));
    let (first, second) =
        tokio::join!(app.post_once("k1", "/traces", body.clone()), app.post_once("k1", "/traces", body),);
    assert_eq!(first.ok(), second.ok());
    assert_eq!(count_traces(&app).await, 1);
}

#[tokio::test]
async fn without_a_key_the_same_body_is_another_trace() {
    let app = TestApp::new();
    let first = app.create(run("Refund order 7")).await;
    let second = app.create(run("Refund order 7")).await;
    assert_ne!(first, second);
    assert_eq!(count_traces(&app).await, 2);
}

#[tokio::test]
async fn a_review_sent_twice_counts_once() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    let path = format!("/traces/{trace_id}/review");
    let first = app.post_once("k1", &path, json!({"result": "pass"})).await.ok();
    let again = app.post_once("k1", &path, json!({"result": "pass"})).await.ok();
    assert_eq!(first, again);
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
}

#[tokio::test]
async fn a_repeated_correction_does_not_undo_a_later_one() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let path = format!("/traces/{}/review", text(&trace["id"]));
    let to_fail = json!({"result": "fail", "supersedes": true});
    app.post_once("k1", &path, to_fail.clone()).await.ok();
    let to_pass = json!({"result": "pass", "supersedes": true});
    app.post_once("k2", &path, to_pass).await.ok();
    app.post_once("k1", &path, to_fail).await.ok();
    assert_eq!(app.utility(&memory_id).await, 0.65);
}

#[tokio::test]
async fn a_key_made_twice_is_one_key_with_one_secret() {
    let app = TestApp::new();
    let body = json!({"label": "ci", "scopes": ["trace:write"]});
    let first = app.post_once("k1", "/api-keys", body.clone()).await.ok();
    let again = app.post_once("k1", "/api-keys", body).await.ok();
    assert_eq!(first, again);
    assert_eq!(app.get("/api-keys").await.ok().as_array().unwrap().len(), 1);
    let holder = app.with_key(&text(&again["api_key"]));
    holder.get("/traces").await.ok();
}

#[tokio::test]
async fn another_body_under_the_same_key_is_refused() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 6")).await;
    app.post_once("k1", "/traces", run("Refund order 7")).await.ok();
    let requests = [
        ("/traces".to_owned(), run("Refund order 8")),
        (format!("/traces/{trace_id}/review"), json!({"result": "pass"})),
        ("/api-keys".to_owned(), json!({"label": "ci", "scopes": []})),
    ];
    for (path, body) in requests {
        let answer = app.post_once("k1", &path, body).await;
        answer.assert_code("idempotency_key_reused");
    }
    assert_eq!(count_traces(&app).await, 2);
    assert_eq!(app.trace(&trace_id).await["review"], json!(null));
    assert_eq!(app.get("/api-keys").await.ok(), json!([]));
}

#[tokio::test]
async fn projects_have_their_own_keys() {
    let app = TestApp::new();
    let here = app.post_once("k1", "/traces", run("Refund order 7")).await.ok();
    let there = app.project("other").post_once("k1", "/traces", run("Refund order 8")).await.ok();
    assert_ne!(here["trace_id"], there["trace_id"]);
}

#[tokio::test]
async fn keys_outlive_a_restart() {
    let app = TestApp::new();
    let key_body = json!({"label": "ci", "scopes": ["trace:write"]});
    let body = reviewed_run("Refund order 7", json!({"result": "pass"}));
    let trace = app.post_once("k1", "/traces", body.clone()).await.ok();
    let key = app.post_once("k2", "/api-keys", key_body.clone()).await.ok();
    let app = app.restart();
    assert_eq!(app.post_once("k1", "/traces", body).await.ok(), trace);
    assert_eq!(app.post_once("k2", "/api-keys", key_body).await.ok(), key);
    let other = app.post_once("k1", "/traces", run("Refund order 8")).await;
    other.assert_code("idempotency_key_reused");
    assert_eq!(count_traces(&app).await, 1);
}

#[tokio::test]
async fn failures_are_not_remembered() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let path = format!("/traces/{}/review", text(&trace["id"]));
    let refused = app.post_once("k1", &path, json!({"result": "fail"})).await;
    refused.assert_code("already_reviewed");
    app.take_back(&text(&trace["id"])).await.ok();
    let accepted = app.post_once("k1", &path, json!({"result": "fail"})).await.ok();
    assert_eq!(accepted["review"]["result"], "fail");

    let invalid = app.post_once("k2", "/traces", json!({"task": "", "trajectory": []})).await;
    invalid.assert_code("invalid_request");
    app.post_once("k2", "/traces", run("Refund order 7")).await.ok();
}

#[tokio::test]
async fn a_key_that_is_none_is_refused() {
    let app = TestApp::new();
    for key in ["", &"x".repeat(257)] {
        let answer = app.post_once(key, "/traces", run("Refund order 7")).await;
        answer.assert_invalid("Idempotency-Key");
    }
    assert_eq!(count_traces(&app).await, 0);
}

#[tokio::test]
async fn a_repeat_is_answered_even_when_new_work_is_turned_away() {
    let app = TestApp::new();
    let body = reviewed_run("Refund order 7", json!({"result": "pass"}));
    let path = app.in_project("/traces");
    let headers = [("idempotency-key", "k1")];
    // Nobody works the jobs in the meantime.
    let send = || app.send(Method::POST, &path, Some(&body), &headers);
    let acknowledged = send().await.ok();
    app.clock.turn_seconds(3_600);
    app.engine.measure_backlog().await.unwrap();
    app.post("/traces", body.clone()).await.assert_code("backlogged");
    assert_eq!(send().await.ok(), acknowledged);
}

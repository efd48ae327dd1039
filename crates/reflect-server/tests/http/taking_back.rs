//! Taking back, deleting, and starting over.

use std::sync::Arc;

use reflect_core::Outcome;
use serde_json::json;
use tokio::sync::Notify;

use crate::{
    client::{ids, reviewed_run, run, text},
    fakes::{Script, Step},
    test_app::TestApp,
};

#[tokio::test]
async fn a_review_that_is_taken_back_never_was() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    let before = (app.trace(&trace_id).await, app.memory(&memory_id).await);
    let reviewed = app.review(&trace_id, json!({"result": "fail"})).await.ok();
    let made = text(&reviewed["created_memory_id"]);

    let taken_back = app.take_back(&trace_id).await.ok();
    assert_eq!(taken_back, before.0);
    assert_eq!(app.memory(&memory_id).await, before.1);
    app.get(&format!("/memories/{made}")).await.assert_code("not_found");
    assert_eq!(app.query_ids(json!({"task": "Refund order 7"})).await, [memory_id]);
}

#[tokio::test]
async fn later_reviews_count_as_if_it_had_never_been() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    app.shown_trace(&[&memory_id], Outcome::Fail).await;
    let mistake = app.shown_trace(&[&memory_id], Outcome::Fail).await;
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    app.take_back(&text(&mistake["id"])).await.ok();

    let other = app.project("other");
    let expected = other.learned("Refund an order").await;
    other.shown_trace(&[&expected], Outcome::Fail).await;
    other.shown_trace(&[&expected], Outcome::Pass).await;
    assert_eq!(app.utility(&memory_id).await, other.utility(&expected).await);
    assert_eq!(app.memory(&memory_id).await["uses"], 2);
}

#[tokio::test]
async fn a_trace_can_be_reviewed_again_afterwards() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Fail).await;
    let trace_id = text(&trace["id"]);
    app.take_back(&trace_id).await.ok();
    let reviewed = app.review(&trace_id, json!({"result": "pass"})).await.ok();
    assert_eq!(reviewed["review_status"], "reviewed");
    assert_eq!(app.utility(&memory_id).await, 0.65);
    let shown = app.query_ids(json!({"task": "Refund order 4411"})).await;
    assert!(shown.contains(&text(&reviewed["created_memory_id"])));
    assert_eq!(shown.len(), 2);
}

#[tokio::test]
async fn taking_back_a_correction_leaves_no_review_at_all() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Fail).await;
    let trace_id = text(&trace["id"]);
    let correction = json!({"result": "pass", "supersedes": true});
    app.review(&trace_id, correction).await.ok();
    let taken_back = app.take_back(&trace_id).await.ok();
    assert_eq!(taken_back["review"], json!(null));
    assert_eq!(app.utility(&memory_id).await, 0.5);
    app.take_back(&trace_id).await.assert_code("not_found");
}

#[tokio::test]
async fn a_review_taken_back_before_its_lesson_leaves_no_job() {
    let app = TestApp::new();
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    let taken_back = app.take_back(&trace_id).await.ok();
    assert_eq!(taken_back["ingest_status"], "completed");
    assert_eq!(app.drain().await, 0);
    assert!(app.query(json!({"task": "Refund order 7"})).await.is_empty());
}

#[tokio::test]
async fn a_review_taken_back_while_its_lesson_is_written_leaves_nothing() {
    let written = Arc::new(Notify::new());
    let script = Script::new([Step::WaitFor(Arc::clone(&written))]);
    let app = TestApp::with_reflector(Arc::clone(&script) as _);
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    let take_back = async {
        script.last_step().await;
        app.take_back(&trace_id).await.ok();
        written.notify_one();
    };
    tokio::join!(app.drain(), take_back);
    let trace = app.trace(&trace_id).await;
    assert_eq!(trace["review_status"], "pending");
    assert_eq!(trace["created_memory_id"], json!(null));
    assert!(app.query(json!({"task": "Refund order 7"})).await.is_empty());
}

#[tokio::test]
async fn a_deleted_trace_leaves_what_it_taught() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let trace_id = text(&trace["id"]);
    let deleted = app.post("/traces/delete", json!({"trace_ids": [trace_id]})).await.ok();
    assert_eq!(deleted, json!({"deleted": 1, "trace_ids": [trace_id]}));
    app.get(&format!("/traces/{trace_id}")).await.assert_code("not_found");
    assert_eq!(app.utility(&memory_id).await, 0.65);
    let made = text(&trace["created_memory_id"]);
    assert!(app.query_ids(json!({"task": "Refund order 4411"})).await.contains(&made));
}

#[tokio::test]
async fn a_cascade_takes_what_it_taught_along() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let body = json!({"trace_ids": [trace["id"]], "cascade": true});
    app.post("/traces/delete", body).await.ok();
    assert_eq!(app.utility(&memory_id).await, 0.5);
    let made = text(&trace["created_memory_id"]);
    app.get(&format!("/memories/{made}")).await.assert_code("not_found");
    assert_eq!(app.query_ids(json!({"task": "Refund order 4411"})).await, [memory_id]);
}

#[tokio::test]
async fn a_deleted_trace_is_not_reflected_on() {
    let app = TestApp::new();
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.post("/traces/delete", json!({"trace_ids": [trace_id]})).await.ok();
    assert_eq!(app.drain().await, 0);
    assert_eq!(app.get("/memories").await.ok(), json!([]));
}

#[tokio::test]
async fn a_name_used_again_shows_nothing_of_the_old_project() {
    let app = TestApp::new();
    let old = app.project("shop");
    let memory_id = old.learned("Refund an order").await;
    let holder = old.holding(&["memory:read", "trace:write"]).await;
    old.query(json!({"task": "Refund an order"})).await;
    old.patch("/settings", json!({"lambda": 0.1})).await.ok();
    old.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    let body = run("Refund order 8");
    old.post_once("once", "/traces", body.clone()).await.ok();
    old.delete("").await.ok();

    assert_eq!(app.drain().await, 0, "its jobs are cancelled");
    let refused = holder.post("/memory/query", json!({"task": "Refund an order"})).await;
    refused.assert_code("unauthorized");
    assert!(old.query(json!({"task": "Refund an order"})).await.is_empty());
    assert_eq!(old.get("/traces").await.ok(), json!([]));
    assert_eq!(old.get("/memories").await.ok(), json!([]));
    assert_eq!(old.get("/api-keys").await.ok(), json!([]));
    assert_eq!(old.get("/settings").await.ok()["lambda"], json!(null));
    old.get(&format!("/memories/{memory_id}")).await.assert_code("not_found");
    let trace_id = text(&old.post_once("once", "/traces", body).await.ok()["trace_id"]);
    let listed = old.get("/traces").await.ok();
    assert_eq!(ids(listed.as_array().unwrap()), [trace_id], "the old idempotency key is forgotten too");
}

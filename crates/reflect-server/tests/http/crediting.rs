//! Which memories a review credits.

use reflect_core::Outcome;
use serde_json::json;

use crate::{
    client::{reviewed_run, run},
    test_app::TestApp,
};

#[tokio::test]
async fn a_memory_named_twice_counts_once() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let upper = memory_id.to_uppercase();
    let trace = app.shown_trace(&[&memory_id, &memory_id, &upper], Outcome::Pass).await;
    assert_eq!(app.utility(&memory_id).await, 0.65);
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
    assert_eq!(trace["warnings"], json!([]), "every one of them is a memory of this project");
}

#[tokio::test]
async fn unknown_ids_are_kept_and_never_credited() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let foreign = app.project("other").learned("Refund an order").await;
    let unknown = "018f0000-0000-7000-8000-000000000000";
    let shown = ["not even an id", unknown, &foreign, &memory_id];
    let trace = app.shown_trace(&shown, Outcome::Pass).await;
    assert_eq!(trace["retrieved_memory_ids"], json!(shown));
    assert_eq!(trace["warnings"], json!(["3 of 4 retrieved_memory_ids are not memories of this project"]));
    assert_eq!(app.utility(&memory_id).await, 0.65);
    assert_eq!(app.project("other").utility(&foreign).await, 0.5);
}

#[tokio::test]
async fn a_second_review_changes_nothing() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let before = app.memory(&memory_id).await;
    let trace_id = trace["id"].as_str().unwrap();
    let refused = app.review(trace_id, json!({"result": "fail"})).await;
    refused.assert_code("already_reviewed");
    let other_words = json!({"result": "pass", "feedback_text": "well done"});
    app.review(trace_id, other_words).await.assert_code("already_reviewed");
    assert_eq!(app.memory(&memory_id).await, before);
}

#[tokio::test]
async fn the_same_review_again_answers_the_same_trace() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    let review = json!({"result": "fail", "feedback_text": "the wrong order", "alpha": 0.2});
    let first = app.review(&trace_id, review.clone()).await.ok();
    let again = app.review(&trace_id, review).await.ok();
    assert_eq!(first, again);
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
}

#[tokio::test]
async fn a_review_during_the_inline_one_is_told_to_wait() {
    let app = TestApp::new();
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    let path = format!("/traces/{trace_id}/review");
    let correction = json!({"result": "fail", "supersedes": true});
    app.post(&path, correction.clone()).await.assert_code("review_in_progress");
    app.drain().await;
    app.review(&trace_id, correction).await.ok();
}

#[tokio::test]
async fn traces_of_other_projects_are_not_reviewed() {
    let app = TestApp::new();
    let trace_id = app.project("other").create(run("Refund order 7")).await;
    app.review(&trace_id, json!({"result": "pass"})).await.assert_code("not_found");
}

//! What reviewing, taking back, retrying and deleting refuse, and how often they may be asked.

use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{
    client::{run, text},
    test_app::TestApp,
};

const NO_TRACE: &str = "/traces/018f0000-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_review_of_nothing_is_refused() {
    let app = TestApp::new();
    for review in [json!({"result": "pass"}), json!({"result": "pass", "reflection": {"summary": "x"}})] {
        app.post(&format!("{NO_TRACE}/review"), review).await.assert_code("not_found");
    }
}

#[tokio::test]
async fn a_bad_review_is_refused_and_changes_nothing() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let cases: [(Value, &str); 6] = [
        (json!({}), "result"),
        (json!({"result": "success"}), "result"),
        (json!({"result": "pass", "alpha": -0.1}), "alpha"),
        (json!({"result": "pass", "alpha": "much"}), "alpha"),
        (json!({"result": "pass", "reflection": ["a summary"]}), "reflection"),
        (json!({"result": "pass", "supersedes": "yes"}), "supersedes"),
    ];
    for (review, place) in cases {
        app.post(&path, review).await.assert_invalid(place);
    }
    assert_eq!(app.trace(&trace_id).await["review"], json!(null));
}

#[tokio::test]
async fn there_is_nothing_to_take_back_without_a_review() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    app.take_back(&trace_id).await.assert_code("not_found");
    app.delete(&format!("{NO_TRACE}/review")).await.assert_code("not_found");
}

#[tokio::test]
async fn only_a_failed_trace_can_be_retried() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let pending = app.create(run("Refund order 7")).await;
    for trace_id in [text(&trace["id"]), pending] {
        let answer = app.post(&format!("/traces/{trace_id}/retry"), json!({})).await;
        answer.assert_code("not_failed");
    }
    app.post(&format!("{NO_TRACE}/retry"), json!({})).await.assert_code("not_found");
}

#[tokio::test]
async fn deleting_passes_over_what_is_not_there() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let foreign = app.project("other").create(run("Refund order 7")).await;
    let body = json!({"trace_ids": [trace_id, trace_id, foreign, "nonsense"]});
    let deleted = app.post("/traces/delete", body.clone()).await.ok();
    assert_eq!(deleted, json!({"deleted": 1, "trace_ids": [trace_id]}));
    let again = app.post("/traces/delete", body).await.ok();
    assert_eq!(again, json!({"deleted": 0, "trace_ids": []}));
    app.project("other").trace(&foreign).await;
}

#[tokio::test]
async fn a_bad_deletion_is_refused() {
    let app = TestApp::new();
    let body = json!({"trace_ids": "all"});
    app.post("/traces/delete", body).await.assert_invalid("trace_ids");
    let body = json!({"trace_ids": [], "cascade": "yes"});
    app.post("/traces/delete", body).await.assert_invalid("cascade");
}

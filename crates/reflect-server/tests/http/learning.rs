//! How utilities move, and what becomes of a reviewed run.

use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{
    client::{reviewed_run, run, text},
    test_app::TestApp,
};

#[tokio::test]
async fn a_pass_raises_and_a_fail_lowers_what_was_shown() {
    let app = TestApp::new();
    let helpful = app.learned("Refund an order").await;
    let harmful = app.learned("Cancel an order").await;
    app.shown_trace(&[&helpful], Outcome::Pass).await;
    app.shown_trace(&[&harmful], Outcome::Fail).await;
    assert_eq!(app.utility(&helpful).await, 0.65);
    assert_eq!(app.utility(&harmful).await, 0.35);
    let memory = app.memory(&harmful).await;
    assert_eq!([&memory["uses"], &memory["passes"], &memory["fails"]], [1, 0, 1]);
}

#[tokio::test]
async fn a_new_memory_starts_in_the_middle() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let memory = app.memory(&memory_id).await;
    assert_eq!(memory["q_value"], 0.5);
    assert_eq!(memory["uses"], 0);
    assert_eq!(memory["credits"], json!([]));
}

#[tokio::test]
async fn utilities_have_moved_when_the_trace_is_acknowledged() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = reviewed_run("Refund order 7", json!({"result": "pass"}));
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    assert_eq!(app.utility(&memory_id).await, 0.65);
    assert_eq!(app.trace(&trace_id).await["review_status"], "pending");
    app.drain().await;
    assert_eq!(app.utility(&memory_id).await, 0.65, "the worker moves nothing a second time");
}

#[tokio::test]
async fn a_score_says_how_well_a_run_went() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = reviewed_run("Refund order 7", json!({"result": "fail", "score": 0.75}));
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review"]["score"], 0.75);
    assert_eq!(app.utility(&memory_id).await, 0.575);
    let memory = app.memory(&memory_id).await;
    assert_eq!(
        [&memory["passes"], &memory["fails"], &memory["credits"][0]["reward"]],
        [&json!(0), &json!(1), &json!(0.75)]
    );

    let repeated = app.review(&trace_id, json!({"result": "fail", "score": 0.75})).await.ok();
    assert_eq!(repeated["review"], app.trace(&trace_id).await["review"]);
    app.review(&trace_id, json!({"result": "fail", "score": 0.5})).await.assert_code("already_reviewed");
    app.review(&trace_id, json!({"result": "fail", "score": 0.25, "supersedes": true})).await.ok();
    assert_eq!(app.utility(&memory_id).await, 0.425);
    app.review(&trace_id, json!({"result": "pass", "supersedes": true})).await.ok();
    assert_eq!(app.utility(&memory_id).await, 0.65, "a correction without a score counts by its result");
    assert_eq!(app.trace(&trace_id).await["review"].get("score"), None);
}

#[tokio::test]
async fn a_review_may_bring_its_own_step_size() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    for (alpha, expected) in [(0.1, 0.55), (0.0, 0.55), (1.0, 1.0)] {
        let mut body = reviewed_run("Refund order 7", json!({"result": "pass", "alpha": alpha}));
        body["retrieved_memory_ids"] = json!([memory_id]);
        let trace_id = app.create(body).await;
        assert_eq!(app.utility(&memory_id).await, expected);
        assert_eq!(app.trace(&trace_id).await["review"]["alpha"], alpha);
    }
}

#[tokio::test]
async fn a_project_may_have_its_own_step_size() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    app.patch("/settings", json!({"alpha": 0.5})).await.ok();
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    assert_eq!(app.utility(&memory_id).await, 0.75);
    app.patch("/settings", json!({"alpha": null})).await.ok();
    app.shown_trace(&[&memory_id], Outcome::Fail).await;
    assert_eq!(app.utility(&memory_id).await, 0.525);
}

#[tokio::test]
async fn a_deferred_review_moves_what_its_trace_was_shown() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    assert_eq!(app.utility(&memory_id).await, 0.5, "nothing is known before the review");
    let trace = app.review(&trace_id, json!({"result": "fail"})).await.ok();
    assert_eq!(trace["review_status"], "reviewed");
    assert_eq!(trace["review"]["mode"], "deferred");
    assert_eq!(app.utility(&memory_id).await, 0.35);
    let lesson = app.memory(&text(&trace["created_memory_id"])).await;
    assert_eq!(lesson["success"], false);
}

#[tokio::test]
async fn an_authored_reflection_is_a_memory_at_once() {
    let app = TestApp::new();
    let reflection =
        json!({"summary": "Refunds need a reason.", "guidance": "Ask for one.", "applicable_tools": ["refund"]});
    let mut body = reviewed_run("Refund an order", json!({"result": "pass", "reflection": reflection}));
    body["trajectory"] = json!([]);
    let submission = app.post("/traces", body).await.ok();
    assert_eq!(submission["ingest_status"], "completed");
    let found = app.query(json!({"task": "Refund an order"})).await;
    assert_eq!(found[0]["summary"], "Refunds need a reason.");
    let memory = app.memory(&text(&found[0]["id"])).await;
    assert_eq!(memory["written_by"]["reflector"], "author");
    assert_eq!(app.drain().await, 0, "no reflector is asked");
}

#[tokio::test]
async fn a_lesson_says_who_wrote_it_as_the_clients_claim() {
    let app = TestApp::new();
    let written_by =
        json!({"reflector": "llm", "version": "lesson-2", "model": "m:7b", "input_tokens": 900, "millis": 40});
    let reflection = json!({"summary": "It paid twice.", "tools_used": ["refund"], "written_by": written_by});
    let review = json!({"result": "fail", "reflection": reflection});
    app.post("/traces", reviewed_run("Refund an order", review.clone())).await.ok();
    let trace_id = app.create(run("Refund a parcel")).await;
    app.review(&trace_id, review.clone()).await.ok();
    app.review(&trace_id, review).await.ok();
    let found = app.query(json!({"task": "Refund an order"})).await;
    assert_eq!(found.len(), 2);
    for memory in &found {
        let memory = app.memory(&text(&memory["id"])).await;
        assert_eq!(memory["tools_used"], json!(["refund"]));
        let claim = json!({"reflector": "client:llm", "version": "lesson-2", "model": "m:7b", "input_tokens": 900,
                           "output_tokens": null, "millis": 40, "stands_in_for": null});
        assert_eq!((&memory["written_by"], &memory["revision"]), (&claim, &json!(1)));
    }
}

#[tokio::test]
async fn a_claim_that_names_nobody_or_too_much_is_refused() {
    let app = TestApp::new();
    let long = "x".repeat(257);
    for (claim, path) in [
        (json!({"reflector": ""}), "review.reflection.written_by.reflector"),
        (json!({"reflector": "a\nb"}), "review.reflection.written_by.reflector"),
        (json!({"reflector": long}), "review.reflection.written_by.reflector"),
        (json!({"reflector": "a", "model": long}), "review.reflection.written_by.model"),
        (json!({"version": "1"}), "review.reflection.written_by.reflector"),
        (json!("llm"), "review.reflection.written_by"),
    ] {
        let review = json!({"result": "pass", "reflection": {"summary": "s", "written_by": claim}});
        app.post("/traces", reviewed_run("t", review)).await.assert_invalid(path);
    }
}

#[tokio::test]
async fn a_judge_cannot_come_in_over_http() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund an order")).await;
    let review = json!({"result": "pass", "source": "judge"});
    let trace = app.review(&trace_id, review).await.ok();
    assert_eq!(trace["review"]["source"], "api");
    app.review(&trace_id, json!({"result": "fail"})).await.assert_code("already_reviewed");
}

#[tokio::test]
async fn an_edited_memory_keeps_its_record() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let before = app.memory(&memory_id).await;
    let path = format!("/memories/{memory_id}");
    app.patch(&path, json!({"guidance": "Ask for the reason first."})).await.ok();
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let after = app.memory(&memory_id).await;
    assert_eq!(after["revision"], 2);
    assert_eq!(after["q_value"], 0.755);
    assert_eq!(after["success"], before["success"]);
    let revisions: Vec<&Value> = credits(&after).map(|credit| &credit["memory_revision"]).collect();
    assert_eq!(revisions, [2, 1], "newest first, each with the words that were shown");
    assert_eq!(credits(&after).nth(1), credits(&before).next());
}

#[tokio::test]
async fn a_disabled_memory_is_not_shown_and_still_credited() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let path = format!("/memories/{memory_id}");
    app.patch(&path, json!({"status": "disabled"})).await.ok();
    assert!(app.query(json!({"task": "Refund an order"})).await.is_empty());
    let mut body = reviewed_run("Unrelated", json!({"result": "pass"}));
    body["retrieved_memory_ids"] = json!([memory_id]);
    app.create(body).await;
    app.patch(&path, json!({"status": "active"})).await.ok();
    let shown = app.query(json!({"task": "Refund an order"})).await;
    assert_eq!(shown[0]["id"], memory_id);
    assert_eq!(shown[0]["q_value"], 0.65);
}

#[tokio::test]
async fn a_deleted_memory_is_gone_for_good() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let path = format!("/memories/{memory_id}");
    app.delete(&path).await.assert_status(204);
    app.get(&path).await.assert_code("not_found");
    app.patch(&path, json!({"status": "active"})).await.assert_code("not_found");
    assert!(app.query(json!({"task": "Refund an order"})).await.is_empty());
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    app.get(&path).await.assert_code("not_found");
}

fn credits(memory: &Value) -> impl Iterator<Item = &Value> {
    memory["credits"].as_array().unwrap().iter()
}

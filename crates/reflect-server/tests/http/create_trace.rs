//! `POST` and `GET` of a trace.

use reflect_api::Limits;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{reviewed_run, run, text},
    test_app::{Setup, TestApp},
};

#[tokio::test]
async fn a_trace_comes_back_as_it_went_in() {
    let app = TestApp::new();
    let mut body = run("Refund order 4411");
    body["model"] = json!("gpt-5");
    body["metadata"] = json!({"tier": "gold", "tags": ["a", 1.5]});
    body["reference_context"] = json!("Refunds within 30 days.");
    let submission = app.post("/traces", body.clone()).await.ok();
    assert_eq!(submission["ingest_status"], "completed");
    let trace = app.trace(submission["trace_id"].as_str().unwrap()).await;
    assert_eq!(trace["trajectory"], body["trajectory"]);
    assert_answer!("trace", &trace);
}

#[tokio::test]
async fn a_reviewed_trace_shows_its_review() {
    let app = TestApp::new();
    let review = json!({"result": "fail", "feedback_text": "It was the wrong order.", "alpha": 0.2});
    let trace_id = app.create(reviewed_run("Refund order 4411", review)).await;
    app.drain().await;
    assert_answer!("reviewed_trace", &app.trace(&trace_id).await);
}

#[tokio::test]
async fn a_trajectory_may_be_a_text() {
    let app = TestApp::new();
    let cases = [
        (json!("I did it."), json!([{"role": "assistant", "content": "I did it."}])),
        (json!(r#"[{"role": "user", "content": "hi"}]"#), json!([{"role": "user", "content": "hi"}])),
        (json!([]), json!([])),
    ];
    for (sent, kept) in cases {
        let trace_id = app.create(json!({"task": "x", "trajectory": sent})).await;
        assert_eq!(app.trace(&trace_id).await["trajectory"], kept);
    }
}

#[tokio::test]
async fn a_missing_final_response_is_what_the_assistant_said_last() {
    let app = TestApp::new();
    let trajectory = json!([
        {"role": "assistant", "content": "First."},
        {"role": "assistant", "content": [{"type": "text", "text": "Se"}, {"type": "text", "text": "cond."}]},
        {"role": "user", "content": "Thanks."}
    ]);
    let trace_id = app.create(json!({"task": "x", "trajectory": trajectory})).await;
    assert_eq!(app.trace(&trace_id).await["final_response"], "Second.");
}

#[tokio::test]
async fn a_trajectory_is_kept_byte_for_byte() {
    let app = TestApp::new();
    let trajectory = r#"[{"role":"user",  "content":"\ud83d\ude00 \ud800", "n": 1.50e3, "b":1, "a":2}]"#;
    let body = format!(r#"{{"task": "x", "trajectory": {trajectory}}}"#);
    let submission = app.post_text("/traces", "application/json; charset=utf-8", &body).await.ok();
    let trace_id = text(&submission["trace_id"]);
    let answer = app.get(&format!("/traces/{trace_id}")).await;
    // A lone surrogate is no text that a `Value` could hold, so the answer was kept as text.
    assert!(answer.json.as_str().unwrap().contains(trajectory));
}

#[tokio::test]
async fn fields_that_nobody_knows_are_ignored() {
    let app = TestApp::new();
    let mut body = run("Refund order 4411");
    body["colour"] = json!("blue");
    app.create(body).await;
}

#[tokio::test]
async fn a_bad_trace_is_refused_and_not_stored() {
    let app = TestApp::new();
    let cases: [(&str, Value, &str); 12] = [
        ("task", json!("  "), "task"),
        ("task", json!("a\0b"), "task"),
        ("task", json!(7), "task"),
        ("trajectory", json!({}), "trajectory"),
        ("trajectory", json!([{}, "x"]), "trajectory[1]"),
        ("retrieved_memory_ids", json!(["ok", "a\0"]), "retrieved_memory_ids[1]"),
        ("metadata", json!([1]), "metadata"),
        ("metadata", json!({"a\0": 1}), "metadata"),
        ("retrieval_id", json!("no id"), "retrieval_id"),
        ("review", json!({"result": "maybe"}), "review.result"),
        ("review", json!({"result": "pass", "alpha": 1.1}), "review.alpha"),
        ("review", json!({"result": "pass", "score": -0.1}), "review.score"),
    ];
    for (field, value, path) in cases {
        let mut body = run("Refund order 4411");
        body[field] = value;
        app.post("/traces", body).await.assert_invalid(path);
    }
    assert_eq!(app.get("/traces").await.ok(), json!([]));
}

#[tokio::test]
async fn limits_are_answered_with_the_place() {
    let setup = Setup {
        limits: Limits { body_bytes: 2_000, task_length: 20, list_length: 4, nesting: 8, ..Limits::default() },
        ..Setup::default()
    };
    let app = setup.start();
    app.create(run("Refund order 4411")).await;
    app.post("/traces", run(&"x".repeat(21))).await.assert_invalid("task");
    app.post("/traces", run(&"x".repeat(2_000))).await.assert_code("payload_too_large");
    let mut body = run("short");
    body["trajectory"] = json!([{}, {}, {}, {}, {}]);
    app.post("/traces", body.clone()).await.assert_invalid("trajectory");
    body["trajectory"] = json!([[[[[[[[[]]]]]]]]]);
    app.post("/traces", body).await.assert_code("invalid_request");
}

#[tokio::test]
async fn what_is_no_json_is_refused() {
    let app = TestApp::new();
    let cases = [
        ("application/json", "{\"task\":", "invalid_json"),
        ("application/json", "", "invalid_json"),
        ("text/plain", "{}", "unsupported_media_type"),
    ];
    for (media, body, code) in cases {
        app.post_text("/traces", media, body).await.assert_code(code);
    }
}

#[tokio::test]
async fn a_trace_is_found_by_its_own_project_only() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 4411")).await;
    let path = format!("/traces/{trace_id}");
    app.get(&path).await.ok();
    app.get(&path.to_uppercase().replace("/TRACES", "/traces")).await.ok();
    app.project("other").get(&path).await.assert_code("not_found");
    app.get("/traces/nonsense").await.assert_code("not_found");
}

#[tokio::test]
async fn too_much_metadata_is_refused_and_leaves_others_alone() {
    let app = TestApp::new();
    let send = async |metadata: Value| {
        let mut body = run("Refund");
        body["metadata"] = metadata;
        app.post("/traces", body).await
    };
    let many: serde_json::Map<String, Value> = (0..1_001).map(|key| (format!("k{key}"), json!(1))).collect();
    for metadata in [json!({"a": "x".repeat(65_536)}), json!(many), json!({"tags": vec![1; 1_000]})] {
        let refused = send(metadata).await.assert_invalid("metadata");
        assert!(text(&refused.json["error"]["message"]).contains("are allowed"), "{}", refused.json);
    }
    send(json!({"a": "x".repeat(65_000), "tags": vec![1; 998]})).await.assert_status(422);
    send(json!({"a": "x".repeat(60_000), "tags": vec![1; 998]})).await.ok();
    app.project("other").create(run("Refund")).await;
}

//! The judge: runs that nobody reviews, its report, and what others say later.

use std::sync::Arc;

use reflect_llm::{ChatModel, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{reviewed_run, run, text},
    fakes::down,
    test_app::{Setup, TestApp},
};

const HOUR: i64 = 3_600;

fn verdict(verdict: &str) -> ScriptedStep {
    ScriptedStep::text(json!({"verdict": verdict, "explanation": "The order was looked up."}).to_string())
}

fn judged_by(steps: Vec<ScriptedStep>) -> (TestApp, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(steps).named("openai/judge"));
    (Setup::with_judge(Arc::clone(&model) as Arc<dyn ChatModel>).start(), model)
}

/// Lets an hour pass, and the judge look; answers how many runs it was asked about.
async fn judge(app: &TestApp) -> usize {
    app.clock.turn_seconds(HOUR);
    let asked = app.engine.judge_due_traces().await.unwrap();
    app.drain().await;
    asked
}

async fn report(app: &TestApp) -> Value {
    app.get("/judge/report").await.ok()
}

#[tokio::test]
async fn a_run_that_nobody_reviewed_is_judged_in_small_steps() {
    let (app, _) = judged_by(vec![verdict("pass")]);
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 0, "someone may still review it");
    assert_eq!(judge(&app).await, 1);
    let trace = app.trace(&trace_id).await;
    assert_eq!(trace["review_status"], "reviewed");
    let review = &trace["review"];
    assert_eq!(
        (&review["result"], &review["source"], &review["alpha"]),
        (&json!("pass"), &json!("judge"), &json!(0.1))
    );
    assert_eq!(review["feedback_text"], "The order was looked up.");
    let lesson = app.memory(&text(&trace["created_memory_id"])).await;
    assert_eq!(lesson["tells"], "example", "it asks nothing of the next run: {lesson}");
    assert!((app.utility(&memory_id).await - 0.55).abs() < 1e-12);
    assert_eq!(judge(&app).await, 0);
}

#[tokio::test]
async fn an_unknown_verdict_leaves_the_run_pending_and_is_asked_for_three_times_at_most() {
    let (app, model) = judged_by((0..9).map(|_| verdict("unknown")).collect());
    let trace_id = app.create(run("Refund order 7")).await;
    for _ in 0..24 * 5 {
        judge(&app).await;
    }
    let trace = app.trace(&trace_id).await;
    assert_eq!((&trace["review_status"], &trace["review"]), (&json!("pending"), &Value::Null));
    assert_eq!(model.requests().len(), 3);
    let report = report(&app).await;
    assert_eq!((&report["unknown"], &report["pending"], &report["agreement"]), (&json!(1), &json!(1), &Value::Null));
}

#[tokio::test]
async fn words_that_only_sound_like_a_pass_are_none() {
    let words = ["Not a pass.", "The agent was unsuccessful.", "PASS or FAIL, who knows", "", "<html>pass</html>"];
    let (app, _) = judged_by(words.iter().flat_map(|words| vec![ScriptedStep::text(*words); 3]).collect());
    for _ in words {
        app.create(run("Refund order 7")).await;
    }
    judge(&app).await;
    for trace in app.get("/traces").await.ok().as_array().unwrap() {
        assert_ne!(trace["review"]["result"], "pass", "{trace}");
    }
}

#[tokio::test]
async fn a_judge_that_fails_is_asked_again_later_and_less_and_less_often() {
    let (app, model) = judged_by((0..200).map(|_| ScriptedStep::error(down())).collect());
    app.create(run("Refund order 7")).await;
    judge(&app).await;
    let after_one = model.requests().len();
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 0, "not at once");
    for _ in 0..24 * 7 {
        judge(&app).await;
    }
    let asked = model.requests().len();
    assert!(asked > after_one && asked <= 12 * after_one, "{asked} calls");
    let report = report(&app).await;
    assert_eq!((&report["given_up"], &report["pending"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn any_other_review_replaces_the_judges_exactly() {
    let (app, _) = judged_by(vec![verdict("pass")]);
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    judge(&app).await;
    let judged = app.trace(&trace_id).await;
    let reviewed = app.review(&trace_id, json!({"result": "fail"})).await.ok();
    assert_eq!((&reviewed["review"]["source"], &reviewed["review"]["alpha"]), (&json!("api"), &json!(0.3)));
    assert_eq!(reviewed["created_memory_id"], judged["created_memory_id"]);
    assert_eq!(app.utility(&memory_id).await.to_bits(), (0.5_f64 + 0.3 * (0.0 - 0.5)).to_bits());
    assert_eq!(app.memory(&text(&reviewed["created_memory_id"])).await["success"], json!(false));
    assert_eq!(judge(&app).await, 0);
}

#[tokio::test]
async fn the_report_holds_the_judge_against_others() {
    let (app, _) = judged_by(vec![verdict("pass"), verdict("pass"), verdict("fail"), verdict("unknown")]);
    for (place, other) in ["pass", "fail", "fail", "fail"].into_iter().enumerate() {
        let trace_id = app.create(run(&format!("Refund order {place}"))).await;
        judge(&app).await;
        app.review(&trace_id, json!({"result": other})).await.ok();
    }
    app.create(run("Refund order 9")).await;
    assert_answer!("judge_report", &report(&app).await);
}

#[tokio::test]
async fn a_project_has_its_own_rubric_and_can_do_without_a_judge() {
    let (app, model) = judged_by(vec![verdict("fail")]);
    app.patch("/settings", json!({"judge_rubric": "Only a paid refund counts."})).await.ok();
    let other = app.project("other");
    other.patch("/settings", json!({"judge": "off"})).await.ok();
    app.create(run("Refund order 7")).await;
    other.create(run("Refund order 8")).await;
    assert_eq!(judge(&app).await, 1);
    let asked: String = model.requests()[0].messages.iter().map(|message| message.text.clone()).collect();
    assert!(asked.contains("Only a paid refund counts."), "{asked}");
    assert_eq!(other.get("/judge/report").await.ok()["judge"], "off");
    assert_eq!(report(&app).await["judge"], "openai/judge");
}

#[tokio::test]
async fn without_a_judge_nothing_is_judged() {
    let app = TestApp::new();
    app.create(run("Refund order 7")).await;
    assert_eq!(judge(&app).await, 0);
    assert_eq!(report(&app).await["judge"], "off");
}

#[tokio::test]
async fn reviewed_runs_and_runs_whose_review_is_queued_are_not_judged() {
    let (app, _) = judged_by(Vec::new());
    app.learned("Refund an order").await;
    app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.clock.turn_seconds(HOUR);
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 0);
}

#[tokio::test]
async fn the_report_needs_its_scope_and_its_project() {
    let app = TestApp::new();
    app.holding(&["memory:read"]).await.get("/judge/report").await.assert_code("forbidden");
    let reader = app.holding(&["trace:read"]).await;
    reader.get("/judge/report").await.ok();
    reader.project("other").get("/judge/report").await.assert_code("forbidden");
}

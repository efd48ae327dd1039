//! Reviews that supersede.

use reflect_core::{Lesson, NewReview, Outcome, ReviewSource, WrittenBy, WrittenLesson};
use reflect_engine::{Asker, Caller, CreateReview};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, run, text},
    test_app::TestApp,
};

/// One reviewed run in a memory's history.
type Reviewed = (&'static str, Option<f64>);

/// Reviews one run after the other, all of which were shown the memory. Answers the ids of the runs.
async fn live_through(client: &Client, memory_id: &str, history: &[Reviewed]) -> Vec<String> {
    let mut trace_ids = Vec::new();
    for (result, alpha) in history {
        let mut body = reviewed_run("Refund order 7", json!({"result": result, "alpha": alpha}));
        body["retrieved_memory_ids"] = json!([memory_id]);
        trace_ids.push(client.create(body).await);
        client.drain().await;
    }
    trace_ids
}

#[tokio::test]
async fn a_correction_takes_the_first_reviews_place() {
    let app = TestApp::new();
    let (wrong, right) = (app.project("wrong"), app.project("right"));
    let corrected = wrong.learned("Refund an order").await;
    let expected = right.learned("Refund an order").await;
    let history = |first| [("fail", None), (first, None), ("pass", Some(0.9)), ("fail", Some(0.1)), ("pass", None)];
    let trace_ids = live_through(&wrong, &corrected, &history("pass")).await;
    live_through(&right, &expected, &history("fail")).await;
    assert_ne!(wrong.utility(&corrected).await, right.utility(&expected).await);

    let correction = json!({"result": "fail", "supersedes": true});
    wrong.review(&trace_ids[1], correction).await.ok();
    assert_eq!(wrong.utility(&corrected).await, right.utility(&expected).await);
    let (corrected, expected) = (wrong.memory(&corrected).await, right.memory(&expected).await);
    for count in ["uses", "passes", "fails"] {
        assert_eq!(corrected[count], expected[count]);
    }
    assert_eq!(steps(&corrected), steps(&expected));
}

#[tokio::test]
async fn a_correction_without_a_step_size_keeps_the_one_that_applied() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    app.patch("/settings", json!({"alpha": 0.9})).await.ok();
    let correction = json!({"result": "fail", "supersedes": true});
    let corrected = app.review(&text(&trace["id"]), correction).await.ok();
    assert_eq!(corrected["review"]["alpha"], 0.3);
    assert_eq!(app.utility(&memory_id).await, 0.35);
}

#[tokio::test]
async fn a_correction_keeps_a_step_size_that_the_first_review_asked_for() {
    let app = TestApp::new();
    let (wrong, right) = (app.project("wrong"), app.project("right"));
    let corrected = wrong.learned("Refund an order").await;
    let expected = right.learned("Refund an order").await;
    let trace_ids = live_through(&wrong, &corrected, &[("pass", Some(0.9)), ("pass", None)]).await;
    live_through(&right, &expected, &[("fail", Some(0.9)), ("pass", None)]).await;
    let correction = json!({"result": "fail", "supersedes": true});
    wrong.review(&trace_ids[0], correction).await.ok();
    assert_eq!(wrong.utility(&corrected).await, right.utility(&expected).await);
}

#[tokio::test]
async fn a_correction_may_bring_its_own_step_size() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let correction = json!({"result": "pass", "alpha": 1.0, "supersedes": true});
    app.review(&text(&trace["id"]), correction).await.ok();
    assert_eq!(app.utility(&memory_id).await, 1.0);
}

#[tokio::test]
async fn the_lesson_becomes_a_new_revision_of_the_same_memory() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let memory_id = text(&trace["created_memory_id"]);
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let before = app.memory(&memory_id).await;

    let correction = json!({"result": "fail", "feedback_text": "It was the wrong order.", "supersedes": true});
    let corrected = app.review(&text(&trace["id"]), correction).await.ok();
    assert_eq!(corrected["created_memory_id"], memory_id);
    assert_eq!(corrected["review_status"], "reviewed");
    let after = app.memory(&memory_id).await;
    assert_eq!((&before["revision"], &after["revision"]), (&json!(1), &json!(2)));
    assert_eq!((&before["success"], &after["success"]), (&json!(true), &json!(false)));
    assert_ne!(before["reflection"], after["reflection"]);
    for kept in ["q_value", "uses", "credits", "created_at"] {
        assert_eq!(before[kept], after[kept], "{kept}");
    }
    let shown = app.query(json!({"task": "Refund order 4411", "limit": 1})).await;
    assert_eq!(shown[0]["success"], false);
}

#[tokio::test]
async fn a_correction_of_a_correction_has_the_same_place() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace_ids = live_through(&app, &memory_id, &[("pass", None), ("fail", None)]).await;
    let before = app.memory(&memory_id).await;
    for result in ["fail", "pass"] {
        let correction = json!({"result": result, "supersedes": true});
        app.review(&trace_ids[0], correction).await.ok();
    }
    let after = app.memory(&memory_id).await;
    assert_eq!(after["q_value"], before["q_value"]);
    assert_eq!(steps(&after), steps(&before));
}

#[tokio::test]
async fn an_equal_review_supersedes_nothing() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let again = app.review(&text(&trace["id"]), json!({"result": "pass", "supersedes": true})).await.ok();
    assert_eq!(again, trace);
    assert_eq!(app.memory(&text(&trace["created_memory_id"])).await["revision"], 1);
}

#[tokio::test]
async fn superseding_nothing_is_a_first_review() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let trace = app.review(&trace_id, json!({"result": "pass", "supersedes": true})).await.ok();
    assert_eq!(trace["review"]["result"], "pass");
}

#[tokio::test]
async fn an_authored_correction_needs_no_reflector() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let correction = json!({"result": "fail", "supersedes": true, "reflection": {"summary": "It paid twice."}});
    let path = format!("/traces/{}/review", text(&trace["id"]));
    let corrected = app.post(&path, correction).await.ok();
    let memory = app.memory(&text(&corrected["created_memory_id"])).await;
    assert_eq!(corrected["created_memory_id"], trace["created_memory_id"]);
    assert_eq!(memory["summary"], "It paid twice.");
    assert_eq!((&memory["revision"], &memory["success"]), (&json!(2), &json!(false)));
}

#[tokio::test]
async fn a_correction_after_the_memory_was_deleted_writes_a_new_one() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let deleted = text(&trace["created_memory_id"]);
    app.delete(&format!("/memories/{deleted}")).await.assert_status(204);
    let correction = json!({"result": "fail", "supersedes": true});
    let corrected = app.review(&text(&trace["id"]), correction).await.ok();
    assert_ne!(corrected["created_memory_id"], deleted);
    assert_eq!(app.memory(&text(&corrected["created_memory_id"])).await["revision"], 1);
}

/// A judge's review, which cannot come over HTTP.
async fn judge(app: &TestApp, trace_id: &str, result: Outcome, alpha: Option<f64>) {
    let lesson = Lesson { summary: "It seems to work.".into(), ..Lesson::default() };
    let review = NewReview {
        result,
        score: None,
        feedback_text: None,
        alpha,
        reflection: Some(WrittenLesson { lesson, written_by: WrittenBy::author() }),
        source: ReviewSource::Judge,
        supersedes: false,
    };
    let create = CreateReview { trace_id: trace_id.parse().unwrap(), review, idempotency: None };
    let judged = app
        .engine
        .review_trace(Asker { caller: &Caller::master(), project_id: &"default".parse().unwrap() }, create)
        .await;
    judged.unwrap();
}

#[tokio::test]
async fn a_judges_review_gives_way_without_the_flag() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    judge(&app, &trace_id, Outcome::Pass, Some(0.1)).await;
    assert_eq!(app.utility(&memory_id).await, 0.55);
    app.shown_trace(&[&memory_id], Outcome::Pass).await;

    let corrected = app.review(&trace_id, json!({"result": "fail"})).await.ok();
    assert_eq!(corrected["review"]["source"], "api");
    assert_eq!(corrected["review"]["alpha"], 0.3, "a judge's caution is its own");
    let memory = app.memory(&memory_id).await;
    assert_eq!(steps(&memory)[1].1, "fail", "in the judge's place");
    assert_eq!(memory["uses"], 2);
    app.review(&trace_id, json!({"result": "pass"})).await.assert_code("already_reviewed");
}

#[tokio::test]
async fn of_two_reviews_at_once_one_counts() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!([memory_id]);
    let trace_id = app.create(body).await;
    let (pass, fail) = tokio::join!(
        app.review(&trace_id, json!({"result": "pass"})),
        app.review(&trace_id, json!({"result": "fail"})),
    );
    let accepted = [&pass, &fail].iter().filter(|answer| answer.status == 200).count();
    let refused = [&pass, &fail].iter().filter(|answer| answer.status == 409).count();
    assert_eq!((accepted, refused), (1, 1));
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
}

/// A memory's ledger without what differs between equal histories.
fn steps(memory: &Value) -> Vec<(&Value, &Value, &Value)> {
    let credits = memory["credits"].as_array().unwrap().iter();
    credits.map(|credit| (&credit["position"], &credit["result"], &credit["alpha"])).collect()
}

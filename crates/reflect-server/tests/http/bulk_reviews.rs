//! Many reviews in one request.

use reflect_core::{Outcome, Tally};
use serde_json::{Value, json};

use crate::{
    client::{Client, run, text},
    fakes::HashingUnless,
    test_app::{Setup, TestApp},
};

const PATH: &str = "/traces/review";
const NO_TRACE: &str = "018f0000-0000-7000-8000-000000000000";

/// A run that was shown these memories.
async fn shown(client: &Client, memory_ids: &[&str]) -> String {
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!(memory_ids);
    client.create(body).await
}

async fn send(client: &Client, reviews: Value) -> Vec<Value> {
    let answer = client.post(PATH, json!({ "reviews": reviews })).await;
    answer.assert_status(202).json["reviews"].as_array().unwrap().clone()
}

fn statuses(reviews: &[Value]) -> Vec<&str> {
    reviews.iter().map(|review| review["status"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn utilities_have_moved_when_the_answer_comes_and_lessons_follow() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let (first, second) = (shown(&app, &[&memory_id]).await, shown(&app, &[&memory_id]).await);
    let reviews = json!([
        {"trace_id": first, "result": "pass", "feedback_text": "Quick."},
        {"trace_id": second, "result": "fail", "alpha": 0.5},
    ]);
    let answer = send(&app, reviews).await;
    let accepted = |trace_id: &str| json!({"trace_id": trace_id, "status": "accepted", "ingest_status": "queued"});
    assert_eq!(answer, [accepted(&first), accepted(&second)]);
    assert_eq!(app.utility(&memory_id).await, Tally::of([(Outcome::Pass, 0.3), (Outcome::Fail, 0.5)]).utility());
    assert_eq!(app.trace(&first).await["review_status"], "pending");

    assert_eq!(app.drain().await, 2);
    let trace = app.trace(&first).await;
    assert_eq!((&trace["review_status"], &trace["review"]["mode"]), (&json!("reviewed"), &json!("deferred")));
    assert_eq!(trace["review"]["feedback_text"], "Quick.");
    app.memory(&text(&trace["created_memory_id"])).await;
}

#[tokio::test]
async fn a_lesson_that_comes_along_is_there_at_once() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let reflection = json!({"summary": "Refunded.", "guidance": "Look the order up first."});
    let reviews = json!([{"trace_id": trace_id, "result": "pass", "reflection": reflection}]);
    let answer = send(&app, reviews).await;
    assert_eq!(answer, [json!({"trace_id": trace_id, "status": "accepted", "ingest_status": "completed"})]);
    let trace = app.trace(&trace_id).await;
    assert_eq!(trace["review_status"], "reviewed");
    let found = app.query_ids(json!({"task": "Refund order 7"})).await;
    assert_eq!(found, [text(&trace["created_memory_id"])]);
    assert_eq!(app.drain().await, 0);
}

#[tokio::test]
async fn one_that_is_wrong_takes_no_other_along() {
    let app = TestApp::new();
    let (first, last) = (app.create(run("Refund order 7")).await, app.create(run("Refund order 8")).await);
    let (reviewed, queued) = (app.create(run("Refund order 9")).await, app.create(run("Refund order 10")).await);
    app.review(&reviewed, json!({"result": "pass"})).await.ok();
    send(&app, json!([{"trace_id": queued, "result": "pass"}])).await;
    let reviews = json!([
        {"trace_id": first, "result": "pass"},
        {"trace_id": first, "result": "pass"},
        {"trace_id": reviewed, "result": "fail"},
        {"trace_id": queued, "result": "fail"},
        {"trace_id": NO_TRACE, "result": "pass"},
        {"trace_id": NO_TRACE, "result": "pass", "reflection": {"summary": "Nothing."}},
        {"trace_id": "nonsense", "result": "pass"},
        {"result": "pass"},
        {"trace_id": last},
        {"trace_id": last, "result": "maybe"},
        {"trace_id": last, "result": "pass", "alpha": 2},
        "nonsense",
        {"trace_id": last, "result": "fail"},
    ]);
    let answer = send(&app, reviews).await;
    let mut text = Value::from(answer.clone()).to_string();
    for (trace_id, name) in [(&first, "first"), (&last, "last"), (&reviewed, "reviewed"), (&queued, "queued")] {
        text = text.replace(trace_id, name);
    }
    let named: Value = serde_json::from_str(&text).unwrap();
    insta::assert_json_snapshot!("one_answer_for_each_review", named);
    assert_eq!(app.trace(&reviewed).await["review"]["result"], "pass");
    assert_eq!(app.trace(&last).await["review"]["result"], "fail");
}

#[tokio::test]
async fn corrections_take_the_place_of_what_they_correct() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let (first, second) = (shown(&app, &[&memory_id]).await, shown(&app, &[&memory_id]).await);
    let both = |result: &str, supersedes: bool| {
        let of = |id: &str| json!({"trace_id": id, "result": result, "supersedes": supersedes});
        json!([of(&first), of(&second)])
    };
    assert_eq!(statuses(&send(&app, both("fail", false)).await), ["accepted", "accepted"]);
    app.drain().await;
    assert_eq!(statuses(&send(&app, both("fail", true)).await), ["repeated", "repeated"]);
    assert_eq!(statuses(&send(&app, both("pass", false)).await), ["refused", "refused"]);
    assert_eq!(statuses(&send(&app, both("pass", true)).await), ["accepted", "accepted"]);
    app.drain().await;
    let memory = app.memory(&memory_id).await;
    assert_eq!((&memory["uses"], &memory["passes"]), (&json!(2), &json!(2)));
    assert_eq!(memory["q_value"], Tally::of([(Outcome::Pass, 0.3), (Outcome::Pass, 0.3)]).utility());
}

#[tokio::test]
async fn the_same_request_twice_counts_once() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace_id = shown(&app, &[&memory_id]).await;
    let body = json!({"reviews": [{"trace_id": trace_id, "result": "pass"}, {"trace_id": NO_TRACE, "result": "pass"}]});
    let first = app.post_once("k1", PATH, body.clone()).await.assert_status(202).json;
    app.drain().await;
    let again = app.post_once("k1", PATH, body.clone()).await.assert_status(202).json;
    assert_eq!(first, again, "though the lesson is written by now");
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
    // Without the key the same reviews are repeated, and say so.
    let repeated = send(&app, body["reviews"].clone()).await;
    assert_eq!(statuses(&repeated), ["repeated", "refused"]);
    assert_eq!(repeated[0]["ingest_status"], "completed");
    assert_eq!(app.memory(&memory_id).await["uses"], 1);
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    app.post_once("k1", PATH, json!({"reviews": []})).await.assert_status(202);
    let body = json!({"reviews": [{"trace_id": trace_id, "result": "pass"}]});
    app.post_once("k1", PATH, body).await.assert_code("idempotency_key_reused");
    assert_eq!(app.trace(&trace_id).await["review"], json!(null));
}

#[tokio::test]
async fn as_many_as_are_allowed_are_reviewed_and_one_more_is_refused() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let of = |count: usize| json!({"reviews": vec![json!({"trace_id": trace_id, "result": "pass"}); count]});
    app.post(PATH, of(501)).await.assert_invalid("reviews");
    assert_eq!(app.trace(&trace_id).await["review"], json!(null));
    let answer = send(&app, of(500)["reviews"].clone()).await;
    let statuses = statuses(&answer).join(" ");
    assert_eq!(statuses, format!("accepted{}", " repeated".repeat(499)));
}

#[tokio::test]
async fn a_request_that_is_none_is_refused() {
    let app = TestApp::new();
    app.post(PATH, json!({})).await.assert_invalid("reviews");
    app.post(PATH, json!({"reviews": {}})).await.assert_invalid("reviews");
    assert_eq!(send(&app, json!([])).await, Vec::<Value>::new());
}

#[tokio::test]
async fn another_projects_traces_are_not_there() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let reviews = json!([{"trace_id": trace_id, "result": "pass"}]);
    let foreign = send(&app.project("other"), reviews.clone()).await;
    assert_eq!(foreign[0]["error"]["code"], "not_found");
    let other_key = app.project("other").holding(&["trace:write"]).await;
    let body = json!({"reviews": reviews});
    other_key.project("default").post(PATH, body.clone()).await.assert_code("forbidden");
    app.holding(&["trace:read"]).await.post(PATH, body.clone()).await.assert_code("forbidden");
    assert_eq!(app.trace(&trace_id).await["review"], json!(null));
    app.holding(&["trace:write"]).await.post(PATH, body).await.assert_status(202);
}

#[tokio::test]
async fn a_backlog_turns_away_what_makes_it_longer_and_nothing_else() {
    let app = TestApp::new();
    let traces = [app.create(run("Refund order 7")).await, app.create(run("Refund order 8")).await];
    let of = |trace_id: &str| json!({"reviews": [{"trace_id": trace_id, "result": "pass"}]});
    let acknowledged = app.post(PATH, of(&traces[0])).await.assert_status(202);
    let headers = [("idempotency-key", "k1")];
    let keyed = async |trace_id: &str| {
        app.send(axum::http::Method::POST, &app.in_project(PATH), Some(&of(trace_id)), &headers).await
    };
    let first = keyed(&traces[0]).await.assert_status(202);
    assert_eq!(statuses(acknowledged.json["reviews"].as_array().unwrap()), ["accepted"]);
    app.clock.turn_seconds(75);
    app.engine.measure_backlog().await.unwrap();

    let refused = app.post(PATH, of(&traces[1])).await.assert_code("backlogged");
    assert_eq!(refused.header("retry-after"), "15");
    assert_eq!(app.trace(&traces[1]).await["review"], json!(null));
    assert_eq!(keyed(&traces[0]).await.assert_status(202).json, first.json, "it is owed its first answer");
    let reflection = json!({"summary": "It works."});
    let authored = json!([{"trace_id": traces[1], "result": "pass", "reflection": reflection}]);
    assert_eq!(statuses(&send(&app, authored).await), ["accepted"]);
}

#[tokio::test]
async fn a_lesson_that_cannot_be_embedded_is_refused_by_itself() {
    let app = Setup { embedders: HashingUnless::task("Unembeddable"), ..Setup::default() }.start();
    let (whole, broken) = (app.create(run("Refund order 7")).await, app.create(run("Unembeddable")).await);
    let of = |id: &str| json!({"trace_id": id, "result": "pass", "reflection": {"summary": "It works."}});
    let answer = send(&app, json!([of(&broken), of(&whole)])).await;
    assert_eq!(statuses(&answer), ["refused", "accepted"]);
    assert_eq!(answer[0]["error"]["code"], "unavailable");
    assert_eq!(app.trace(&broken).await["review"], json!(null));
}

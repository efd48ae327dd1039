//! Turns: what tells a run something comes first, examples fill what is left, and what tells nothing is for answers that would be empty.

use serde_json::{Value, json};

use crate::{client::text, test_app::TestApp};

/// A run with a plain answer, and what its review said.
async fn reviewed(app: &TestApp, task: &str, review: Value) {
    app.create(json!({"task": task, "trajectory": "Looked.", "final_response": "Filed under B.", "review": review}))
        .await;
    app.drain().await;
}

async fn plain(app: &TestApp, result: &str, runs: u32) {
    for number in 0..runs {
        reviewed(app, &format!("File the invoice of customer {number}"), json!({"result": result})).await;
    }
}

async fn rule(app: &TestApp, task: &str, words: &str) {
    reviewed(app, task, json!({"result": "fail", "feedback_text": words})).await;
}

fn query(limit: u32) -> Value {
    json!({"task": "File the invoice of customer 7", "limit": limit, "similarity_threshold": -1})
}

/// How much each memory of an answer tells.
async fn told(app: &TestApp, limit: u32) -> Vec<String> {
    app.query(query(limit)).await.iter().map(|memory| text(&memory["tells"])).collect()
}

#[tokio::test]
async fn rules_are_shown_before_what_is_nearer_and_says_little() {
    let app = TestApp::new();
    plain(&app, "fail", 10).await;
    plain(&app, "pass", 10).await;
    rule(&app, "Sort the mail of Monday", "Invoices over 500 euros always go to accounting first.").await;
    rule(&app, "Answer the mail of a supplier", "Never file an invoice without its order number.").await;
    assert_eq!(told(&app, 2).await, ["rule", "rule"]);
    let all = told(&app, 40).await;
    assert_eq!(all.len(), 12, "{all:?}");
    assert!(!all.iter().any(|tells| tells == "nothing"), "{all:?}");
}

#[tokio::test]
async fn what_tells_nothing_is_there_when_nothing_else_is() {
    let app = TestApp::new();
    plain(&app, "fail", 3).await;
    assert_eq!(told(&app, 2).await, ["nothing", "nothing"]);
    plain(&app, "pass", 1).await;
    assert_eq!(told(&app, 5).await, ["example"]);
}

#[tokio::test]
async fn a_project_can_have_all_of_them_ranked_alike() {
    let app = TestApp::new();
    plain(&app, "fail", 3).await;
    rule(&app, "Sort the mail of Monday", "Invoices over 500 euros always go to accounting first.").await;
    assert_eq!(told(&app, 5).await, ["rule"]);
    let changed = app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    assert_eq!(changed["empty_lessons"], true);
    let all = told(&app, 5).await;
    assert_eq!(all.iter().filter(|tells| *tells == "nothing").count(), 3, "{all:?}");
    app.patch("/settings", json!({"empty_lessons": null})).await.ok();
    assert_eq!(told(&app, 5).await, ["rule"]);
}

#[tokio::test]
async fn an_edited_lesson_says_no_more_how_much_it_tells() {
    let app = TestApp::new();
    plain(&app, "fail", 2).await;
    let memory = app.query(query(1)).await.remove(0);
    let path = format!("/memories/{}", text(&memory["id"]));
    app.patch(&path, json!({"summary": memory["summary"]})).await.ok();
    assert_eq!(app.get(&path).await.ok()["tells"], "nothing", "nothing was changed");
    app.patch(&path, json!({"guidance": "Ask for the order number."})).await.ok();
    let edited = app.query(query(5)).await;
    assert_eq!(edited.len(), 1);
    assert!(edited[0].get("tells").is_none() && edited[0]["id"] == memory["id"], "{edited:?}");
}

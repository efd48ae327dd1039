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
    assert_eq!(all, ["example", "rule", "rule"], "the examples say the same, and one is enough");
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

#[tokio::test]
async fn of_lessons_that_say_the_same_one_is_enough() {
    let app = TestApp::new();
    for number in 0..12 {
        let words =
            ["Invoices over 500 euros go to accounting first.", "Invoices over  500 Euros go to accounting first."];
        rule(&app, &format!("File the invoice of customer {number}"), words[number % 2]).await;
    }
    rule(&app, "Sort the mail of Monday", "Invoices over 600 euros go to accounting first.").await;
    rule(&app, "Answer the mail of a supplier", "Never file an invoice without its order number.").await;
    let words = async || -> Vec<String> {
        app.query(query(40)).await.iter().map(|memory| text(&memory["guidance"]).to_lowercase()).collect()
    };
    let mut all = words().await;
    all.sort_unstable();
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].contains("500") && all[1].contains("600") && all[2].starts_with("never"), "{all:?}");
    let of_the_task = app.query(query(1)).await.remove(0);
    assert_eq!(of_the_task["task"], "File the invoice of customer 7", "the nearest of them is the one");
    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    assert_eq!(words().await.len(), 14);
}

#[tokio::test]
async fn an_answer_is_for_whoever_asks_the_same_again() {
    let app = TestApp::new();
    rule(&app, "What is the VAT number of customer 7?", "Wrong. DE811907980.").await;
    let asked = async |task: &str| {
        let found = app.query(json!({"task": task, "similarity_threshold": -1})).await;
        found.iter().map(|memory| text(&memory["tells"])).collect::<Vec<_>>()
    };
    assert_eq!(asked("what is the VAT number of  customer 7?").await, ["answer"]);
    assert_eq!(asked("What is the VAT number of customer 8?").await, [""; 0]);
}

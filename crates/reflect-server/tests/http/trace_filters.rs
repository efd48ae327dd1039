//! Lists of traces narrowed by metadata and by text.

use std::time::Duration;

use axum::http::Method;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    client::{Client, ids, run, text},
    test_app::{Setup, TestApp},
};

async fn with(client: &Client, task: &str, metadata: Value) -> String {
    let mut body = run(task);
    body["metadata"] = metadata;
    client.create(body).await
}

async fn list(client: &Client, query: &str) -> Vec<String> {
    ids(client.get(&format!("/traces?{query}")).await.ok().as_array().unwrap())
}

#[tokio::test]
async fn traces_are_found_by_their_metadata() {
    let app = TestApp::new();
    let blue =
        with(&app, "Refund", json!({"team": "blue", "try": 2, "live": true, "a key": "x y", "tags": ["a", "b"]})).await;
    let red = with(&app, "Refund", json!({"team": "red", "try": "2", "live": false, "tags": "a"})).await;
    app.create(run("Refund")).await;
    let (blue, red) = (blue.as_str(), red.as_str());
    assert_eq!(list(&app, "metadata.team=blue").await, [blue]);
    assert_eq!(list(&app, "metadata.try=2").await, [red, blue]);
    assert_eq!(list(&app, "metadata.try=2.0&limit=5").await, [blue]);
    assert_eq!(list(&app, "metadata.live=false").await, [red]);
    assert_eq!(list(&app, "metadata.a%20key=x+y").await, [blue]);
    assert_eq!(list(&app, "metadata.tags=a").await, [red, blue]);
    assert_eq!(list(&app, "metadata.tags=a&metadata.tags=b&metadata.team=blue").await, [blue]);
    assert_eq!(list(&app, "metadata.tags=a&metadata.team=green").await, Vec::<String>::new());
    assert_eq!(list(&app, "metadata=blue").await.len(), 3, "unknown parameters are passed over");
    assert_eq!(list(&app.project("other"), "metadata.team=red").await, Vec::<String>::new());
}

#[tokio::test]
async fn traces_are_found_by_their_words() {
    let app = TestApp::new();
    let task = app.create(run("Refund the CAFÉ_1")).await;
    let mut body = run("Ship it");
    body["final_response"] = json!("The café is paid, 100 %.");
    let response = app.create(body).await;
    let mut body = run("Ship it");
    body["review"] = json!({"result": "fail", "feedback_text": "Wrong Café!"});
    let feedback = app.create(body).await;
    assert_eq!(list(&app, "text=caf%C3%89").await, [feedback.clone(), response.clone(), task.clone()]);
    assert_eq!(list(&app, "text=caf%C3%A9_").await, [task]);
    assert_eq!(list(&app, "text=0+%25").await, std::slice::from_ref(&response));
    assert_eq!(
        list(&app, "text=caf%C3%A9+it+SHIP").await,
        [feedback.clone(), response.clone()],
        "in any order, from any text"
    );
    assert_eq!(list(&app, "text=caf%C3%A9+paid+wrong").await, Vec::<String>::new(), "all of them");
    assert_eq!(list(&app, "text=caf%C3%A9&result=fail&view=summary").await, [feedback]);
    assert_eq!(list(&app, "text=look_up").await, Vec::<String>::new(), "the trajectory is not searched");
}

#[tokio::test]
async fn pages_of_what_was_found_follow_each_other() {
    let app = TestApp::new();
    let mut wanted = Vec::new();
    for index in 0..5 {
        wanted.insert(0, with(&app, "Refund", json!({"team": "b & c"})).await);
        with(&app, "Ship", json!({"team": index})).await;
    }
    let mut found = Vec::new();
    let mut next = Some(app.in_project("/traces?limit=2&metadata.team=b%20%26%20c&text=REFUND"));
    while let Some(path) = next {
        let answer = app.send(Method::GET, &path, None, &[]).await;
        next = answer.next_page();
        found.extend(ids(answer.ok().as_array().unwrap()));
    }
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn more_than_is_looked_for_is_refused() {
    let app = TestApp::new();
    let refuse = async |query: String, path: &str| {
        app.get(&format!("/traces?{query}")).await.assert_invalid(path);
    };
    refuse(format!("text={}", "x".repeat(1_001)), "text").await;
    refuse(format!("metadata.k={}", "x".repeat(1_001)), "metadata.k").await;
    refuse("metadata.k=1&".repeat(33), "metadata").await;
    assert_eq!(list(&app, &"metadata.k=1&".repeat(32)).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_search_that_takes_too_long_says_how_to_narrow_it() {
    let settings = EngineSettings { search_timeout: Duration::ZERO, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    for _ in 0..40 {
        app.create(run("Refund")).await;
    }
    for query in ["text=absent", "metadata.k=1", "result=pass", "model=m"] {
        // The search before this one may still be on its way to its end.
        let refused = loop {
            let refused = app.get(&format!("/traces?{query}")).await;
            if refused.json["error"]["code"] != "unavailable" {
                break refused.assert_code("search_too_broad");
            }
        };
        let message = text(&refused.json["error"]["message"]);
        assert!(message.contains("`since` and `until`"), "{message}");
    }
    assert_eq!(list(&app, "limit=5").await.len(), 5, "a page is no search");
    assert_eq!(app.project("other").query(json!({"task": "Refund"})).await, [] as [Value; 0]);
}

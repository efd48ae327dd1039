//! Who may do what: every endpoint, with every kind of wrong key.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    client::{Client, run},
    test_app::{Setup, TestApp},
};

const SOME_ID: &str = "018f0000-0000-7000-8000-000000000000";

/// Every endpoint inside a project, the scope that it needs, and a body that it would take.
fn endpoints() -> Vec<(Method, String, &'static str, Option<Value>)> {
    let trace = format!("/traces/{SOME_ID}");
    let memory = format!("/memories/{SOME_ID}");
    vec![
        (Method::POST, "/memory/query".into(), "memory:read", Some(json!({"task": "x"}))),
        (Method::GET, "/traces".into(), "trace:read", None),
        (Method::GET, "/traces?limit=1".into(), "trace:read", None),
        (Method::POST, "/traces".into(), "trace:write", Some(run("x"))),
        (Method::GET, trace.clone(), "trace:read", None),
        (Method::POST, format!("{trace}/review"), "trace:write", Some(json!({"result": "pass"}))),
        (Method::DELETE, format!("{trace}/review"), "trace:write", None),
        (Method::POST, format!("{trace}/retry"), "trace:write", None),
        (Method::POST, "/traces/delete".into(), "trace:write", Some(json!({"trace_ids": [SOME_ID]}))),
        (Method::GET, "/memories".into(), "memory:read", None),
        (Method::GET, memory.clone(), "memory:read", None),
        (Method::PATCH, memory.clone(), "memory:write", Some(json!({}))),
        (Method::DELETE, memory, "memory:write", None),
        (Method::GET, "/skill".into(), "skill:read", None),
        (Method::GET, "/api-keys".into(), "keys:write", None),
        (Method::POST, "/api-keys".into(), "keys:write", Some(json!({"label": "x", "scopes": []}))),
        (Method::POST, format!("/api-keys/{SOME_ID}/revoke"), "keys:write", None),
        (Method::GET, "/settings".into(), "project:write", None),
        (Method::PATCH, "/settings".into(), "project:write", Some(json!({}))),
        (Method::DELETE, String::new(), "project:delete", None),
    ]
}

const SCOPES: [&str; 9] = [
    "memory:read",
    "memory:write",
    "trace:read",
    "trace:write",
    "skill:read",
    "skill:write",
    "keys:write",
    "project:write",
    "project:delete",
];

async fn assert_all_answer(client: &Client, code: &str) {
    for (method, path, _, body) in endpoints() {
        let answer = client.send(method, &client.in_project(&path), body.as_ref(), &[]).await;
        answer.assert_code(code);
    }
}

#[tokio::test]
async fn no_key_opens_nothing() {
    let app = TestApp::new();
    assert_all_answer(&app.with_key(""), "unauthorized").await;
    assert_all_answer(&app.with_key("rf_live_0000_0000"), "unauthorized").await;
    let challenge = app.with_key("").get("/traces").await;
    assert_eq!(challenge.header("www-authenticate"), "Bearer");
}

#[tokio::test]
async fn another_projects_key_opens_nothing_and_learns_nothing() {
    let app = TestApp::new();
    let stranger = app.project("other").holding(&SCOPES).await.project("default");
    assert_all_answer(&stranger, "forbidden").await;
    app.get("/traces").await.ok();
    assert_all_answer(&stranger, "forbidden").await;
}

#[tokio::test]
async fn every_endpoint_needs_its_scope() {
    let app = TestApp::new();
    for (method, path, scope, body) in endpoints() {
        let covering = |held: &&str| *held == scope || (*held == "trace:write" && scope == "trace:read");
        let others: Vec<&str> = SCOPES.into_iter().filter(|held| !covering(held)).collect();
        let holder = app.holding(&others).await;
        let answer = holder.send(method, &holder.in_project(&path), body.as_ref(), &[]).await;
        let answer = answer.assert_code("forbidden");
        let message = answer.json["error"]["message"].as_str().unwrap();
        assert!(message.contains(scope), "{message}");
    }
}

#[tokio::test]
async fn every_scope_is_enough_for_its_endpoints() {
    let app = TestApp::new();
    for (method, path, scope, body) in endpoints() {
        let holder = app.holding(&[scope]).await;
        let answer = holder.send(method, &holder.in_project(&path), body.as_ref(), &[]).await;
        assert!(answer.status.is_success() || answer.status == 404, "{path}: {} {}", answer.status, answer.json);
    }
}

#[tokio::test]
async fn a_secret_that_is_almost_right_opens_nothing() {
    let app = TestApp::new();
    let holder = app.holding(&["memory:read"]).await;
    let mut wrong = holder.key.clone();
    let last = wrong.pop().unwrap();
    wrong.push(if last == '0' { '1' } else { '0' });
    holder.with_key(&wrong).get("/memories").await.assert_code("unauthorized");
    holder.get("/memories").await.ok();
}

#[tokio::test]
async fn guessing_is_slowed_down_and_the_holder_elsewhere_is_not() {
    let app = TestApp::new();
    let holder = app.holding(&["memory:read"]).await;
    for _ in 0..100 {
        let guess = app.with_key("rf_live_guessed_0000");
        guess.get("/memories").await.assert_code("unauthorized");
    }
    let refused = app.with_key("rf_live_guessed_0000").get("/memories").await;
    let refused = refused.assert_code("too_many_failures");
    assert!(refused.headers.contains_key("retry-after"));
    holder.get("/memories").await.ok();
}

/// A master key need not look like a key, and then shares its name with all other texts that do not.
#[tokio::test]
async fn junk_locks_nobody_out_who_has_the_right_key() {
    let app = Setup { master_key: "a-free-form-master-key", ..Setup::default() }.start();
    for number in 0..150 {
        app.with_key(&format!("junk-{number}")).get("/memories").await;
    }
    app.with_key("junk").get("/memories").await.assert_code("too_many_failures");
    app.get("/memories").await.ok();
}

#[tokio::test]
async fn a_project_is_made_by_the_master_key_only() {
    let app = TestApp::new();
    let holder = app.project("mine").holding(&SCOPES).await;
    app.project("mine").delete("").await.ok();
    holder.post("/traces", run("x")).await.assert_code("unauthorized");
    app.project("mine").create(run("x")).await;
}

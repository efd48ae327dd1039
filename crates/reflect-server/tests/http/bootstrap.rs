//! `POST /v1/bootstrap`.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    assert_answer,
    client::text,
    test_app::{BOOTSTRAP_TOKEN, Setup, TestApp},
};

async fn bootstrap(app: &TestApp, token: &str, body: Value) -> Answer {
    let stranger = app.with_key("");
    let headers = [("x-bootstrap-token", token)];
    stranger.send(Method::POST, "/v1/bootstrap", Some(&body), &headers).await
}

#[tokio::test]
async fn a_stranger_with_the_token_gets_a_project_and_a_key() {
    let app = TestApp::new();
    let made = bootstrap(&app, BOOTSTRAP_TOKEN, json!({"user_id": "ada", "project_id": "shop"})).await.ok();
    assert_answer!("bootstrap", &made);
    let holder = app.project("shop").with_key(&text(&made["api_key"]));
    let keys = holder.get("/api-keys").await.ok();
    assert_eq!(keys[0]["label"], "Default Admin Key");
    assert_eq!(keys[0]["environment"], "live");
    holder.learned("Refund an order").await;
}

#[tokio::test]
async fn the_key_is_called_what_the_stranger_says() {
    let app = TestApp::new();
    let wish = json!({"user_id": "ada", "project_id": "über/1", "key_label": "mine", "environment": "test"});
    let made = bootstrap(&app, BOOTSTRAP_TOKEN, wish).await.ok();
    assert!(text(&made["api_key"]).starts_with("rf_test_"));
    let keys = app.project("über/1").get("/api-keys").await.ok();
    assert_eq!((&keys[0]["label"], &keys[0]["environment"]), (&json!("mine"), &json!("test")));
}

#[tokio::test]
async fn a_taken_name_is_refused() {
    let app = TestApp::new();
    app.project("shop").get("/traces").await.ok();
    let wish = json!({"user_id": "ada", "project_id": "shop"});
    bootstrap(&app, BOOTSTRAP_TOKEN, wish).await.assert_code("project_exists");
    assert_eq!(app.project("shop").get("/api-keys").await.ok(), json!([]));
}

/// Whoever may make projects has the same token: a repeated request may be anybody's, and gets no key that was handed out.
#[tokio::test]
async fn a_repeated_bootstrap_is_handed_no_key() {
    let app = TestApp::new();
    let wish = json!({"user_id": "ada", "project_id": "shop"});
    let headers = [("x-bootstrap-token", BOOTSTRAP_TOKEN), ("idempotency-key", "k1")];
    let stranger = app.with_key("");
    let send = || stranger.send(Method::POST, "/v1/bootstrap", Some(&wish), &headers);
    send().await.ok();
    send().await.assert_code("project_exists");
}

#[tokio::test]
async fn a_wrong_token_and_a_bad_wish_are_refused() {
    let app = TestApp::new();
    let wish = json!({"user_id": "ada", "project_id": "shop"});
    bootstrap(&app, "guess", wish.clone()).await.assert_code("unauthorized");
    let nameless = json!({"user_id": "ada", "project_id": ""});
    bootstrap(&app, BOOTSTRAP_TOKEN, nameless).await.assert_invalid("project_id");
    let closed = Setup { bootstrap_token: None, ..Setup::default() };
    bootstrap(&closed.start(), "guess", wish).await.assert_code("not_found");
}

#[tokio::test]
async fn guessing_the_token_is_slowed_down_and_its_holder_is_not() {
    let app = TestApp::new();
    let wish = json!({"user_id": "ada", "project_id": "shop"});
    for _ in 0..100 {
        bootstrap(&app, "guess", wish.clone()).await.assert_code("unauthorized");
    }
    bootstrap(&app, "guess", wish.clone()).await.assert_code("too_many_failures");
    bootstrap(&app, BOOTSTRAP_TOKEN, wish).await.ok();
}

#[tokio::test]
async fn a_stranger_cannot_make_the_server_hold_a_large_body() {
    let app = TestApp::new();
    let wish = json!({"user_id": "ada", "project_id": "shop", "key_label": "x".repeat(20_000)});
    bootstrap(&app, "guess", wish.clone()).await.assert_code("unauthorized");
    bootstrap(&app, BOOTSTRAP_TOKEN, wish).await.assert_code("payload_too_large");
}

//! Signing in to the console: by key and by one-time code; what a session may do, and when it ends.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    assert_answer,
    client::{Client, run, text},
    test_app::{Setup, TestApp},
};

async fn sign_in(client: &Client) -> Answer {
    client.send(Method::POST, "/v1/sign-in", Some(&json!({})), &[]).await
}

async fn sign_in_with(client: &Client, code: &str) -> Answer {
    client.with_key("").send(Method::POST, "/v1/sign-in", Some(&json!({"code": code})), &[]).await
}

async fn whoami(client: &Client) -> Answer {
    client.send(Method::GET, "/v1/session", None, &[]).await
}

/// Someone who signed in with this client's key.
async fn signed_in(client: &Client) -> Client {
    client.with_key(&text(&sign_in(client).await.ok()["api_key"]))
}

#[tokio::test]
async fn a_session_may_do_what_its_key_may_do() {
    let app = TestApp::new();
    let holder = app.holding(&["trace:write", "memory:read"]).await;
    let answer = sign_in(&holder).await.ok();
    assert_eq!((&answer["project_id"], &answer["is_master"]), (&json!("default"), &json!(false)));
    assert_eq!(answer["scopes"], json!(["memory:read", "trace:write"]));
    let session = app.with_key(&text(&answer["api_key"]));
    session.get("/traces").await.ok();
    session.get("/settings").await.assert_code("forbidden");
    session.project("other").get("/traces").await.assert_code("forbidden");
    assert_answer!("session", &whoami(&session).await.ok());
    assert_eq!(whoami(&holder).await.ok()["is_session"], false);
}

#[tokio::test]
async fn a_session_of_the_master_key_opens_every_project() {
    let app = TestApp::new();
    let session = signed_in(&app).await;
    assert_ne!(session.key, app.key);
    for project in ["default", "other"] {
        session.project(project).get("/settings").await.ok();
    }
    let whoami = whoami(&session).await.ok();
    assert_eq!((&whoami["is_master"], &whoami["project_id"]), (&json!(true), &json!(null)));
}

#[tokio::test]
async fn reviews_of_a_session_come_from_the_console_whatever_they_say() {
    let app = TestApp::new();
    let session = signed_in(&app).await;
    let source = async |trace_id: &str| app.trace(trace_id).await["review"]["source"].clone();
    let one = app.create(run("Refund an order")).await;
    session.review(&one, json!({"result": "pass", "source": "judge"})).await.ok();
    let many = app.create(run("Refund an order")).await;
    let body = json!({"reviews": [{"trace_id": many, "result": "fail"}]});
    session.post("/traces/review", body).await;
    let mut inline = run("Refund an order");
    inline["review"] = json!({"result": "pass"});
    let inline = session.create(inline).await;
    for trace_id in [&one, &many, &inline] {
        assert_eq!(source(trace_id).await, "console");
    }
    let by_key = app.create(run("Refund an order")).await;
    app.review(&by_key, json!({"result": "pass", "source": "console"})).await.ok();
    assert_eq!(source(&by_key).await, "api");
}

#[tokio::test]
async fn a_session_ends_after_eight_hours() {
    let app = TestApp::new();
    let session = signed_in(&app).await;
    app.clock.turn_seconds(8 * 3_600 - 60);
    session.get("/traces").await.ok();
    app.clock.turn_seconds(60);
    let refused = session.get("/traces").await.assert_code("unauthorized");
    assert!(text(&refused.json["error"]["message"]).contains("sign in again"), "{}", refused.json);
    app.clock.turn_seconds(25 * 3_600);
    app.engine.prune().await.unwrap();
    let gone = session.get("/traces").await.assert_code("unauthorized");
    assert!(text(&gone.json["error"]["message"]).contains("not valid"), "{}", gone.json);
}

#[tokio::test]
async fn a_session_ends_with_its_key() {
    let app = TestApp::new();
    let holder = app.holding(&["trace:read"]).await;
    let session = signed_in(&holder).await;
    session.get("/traces").await.ok();
    let key_id = text(&app.get("/api-keys").await.ok()[0]["id"]);
    app.post(&format!("/api-keys/{key_id}/revoke"), json!({})).await.ok();
    session.get("/traces").await.assert_code("unauthorized");
    whoami(&session).await.assert_code("unauthorized");

    let body = json!({"label": "brief", "scopes": ["trace:read"], "expires_in_seconds": 60});
    let brief = app.with_key(&text(&app.post("/api-keys", body).await.ok()["api_key"]));
    let session = signed_in(&brief).await;
    app.clock.turn_seconds(61);
    session.get("/traces").await.assert_code("unauthorized");
}

#[tokio::test]
async fn a_session_ends_with_the_project_of_its_key() {
    let app = TestApp::new();
    let session = signed_in(&app.holding(&["trace:read"]).await).await;
    app.delete("").await.ok();
    app.get("/traces").await.ok();
    session.get("/traces").await.assert_code("unauthorized");
}

#[tokio::test]
async fn sessions_survive_a_restart_and_not_another_master_key() {
    let app = TestApp::new();
    let (mastered, held) = (signed_in(&app).await.key, signed_in(&app.holding(&["trace:read"]).await).await.key);
    let app = app.restart();
    for key in [&mastered, &held] {
        app.with_key(key).get("/traces").await.ok();
    }
    let app = app.restart_with_master_key("rf_live_another_master");
    for key in [&mastered, &held] {
        app.with_key(key).get("/traces").await.assert_code("unauthorized");
    }
}

#[tokio::test]
async fn a_session_is_signed_out_of_and_never_prolonged() {
    let app = TestApp::new();
    let session = signed_in(&app).await;
    sign_in(&session).await.assert_code("forbidden");
    let sign_out = async |client: &Client| client.send(Method::DELETE, "/v1/session", None, &[]).await;
    assert_eq!(sign_out(&session).await.status, 204);
    session.get("/traces").await.assert_code("unauthorized");
    sign_out(&session).await.assert_code("unauthorized");
    sign_out(&app).await.assert_code("forbidden");
}

#[tokio::test]
async fn a_session_makes_keys_as_its_key_does() {
    let app = TestApp::new();
    let session = signed_in(&app.holding(&["keys:write", "trace:read"]).await).await;
    session.holding(&["trace:read"]).await.get("/traces").await.ok();
    let more = json!({"label": "more", "scopes": ["project:delete"]});
    session.post("/api-keys", more).await.assert_code("forbidden");
}

#[tokio::test]
async fn a_code_signs_in_once_and_for_five_minutes() {
    let app = TestApp::new();
    let (used, old) = (app.engine.hand_out_sign_in_code(), app.engine.hand_out_sign_in_code());
    let answer: Value = sign_in_with(&app, &used).await.ok();
    assert_eq!(answer["is_master"], true);
    app.with_key(&text(&answer["api_key"])).get("/traces").await.ok();
    sign_in_with(&app, &used).await.assert_code("unauthorized");
    app.clock.turn_seconds(301);
    sign_in_with(&app, &old).await.assert_code("unauthorized");
    sign_in_with(&app, "").await.assert_code("unauthorized");
    sign_in(&app.with_key("")).await.assert_code("unauthorized");
    sign_in(&app.with_key("rf_live_a_guess")).await.assert_code("unauthorized");
}

#[tokio::test]
async fn guessed_codes_are_slowed_down_and_the_right_one_is_not() {
    let app = TestApp::new();
    for _ in 0..100 {
        sign_in_with(&app, "guess").await.assert_code("unauthorized");
    }
    sign_in_with(&app, "guess").await.assert_code("too_many_failures");
    let code = app.engine.hand_out_sign_in_code();
    sign_in_with(&app, &code).await.ok();
}

#[tokio::test]
async fn signing_in_and_out_is_written_into_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.log");
    let app = Setup { audit: Some(path.clone()), ..Setup::default() }.start();
    let session = signed_in(&app.holding(&["trace:read"]).await).await;
    sign_in_with(&app, "guess").await.assert_code("unauthorized");
    let code = app.engine.hand_out_sign_in_code();
    sign_in_with(&app, &code).await.ok();
    session.send(Method::DELETE, "/v1/session", None, &[]).await;
    let log = std::fs::read_to_string(&path).unwrap();
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let expected = ["key_created", "key_first_used", "signed_in", "authentication_failed", "signed_in", "signed_out"];
    assert_eq!(names, expected, "{log}");
    assert_eq!((&events[4]["by"], &events[2]["project"]), (&json!("code"), &json!("default")));
    assert!(!log.contains(&code) && !log.contains(session.key.rsplit_once('_').unwrap().1), "{log}");
}

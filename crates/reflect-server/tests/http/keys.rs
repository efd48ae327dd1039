//! Making, listing and revoking keys.

use std::time::Duration;

use futures_util::FutureExt;
use serde_json::json;
use tokio::time::timeout;

use crate::{
    assert_answer,
    client::{Client, text},
    sockets::{Listening, request_with_key},
    test_app::TestApp,
};

#[tokio::test]
async fn a_key_opens_its_project_with_its_scopes() {
    let app = TestApp::new();
    let body = json!({"label": "ci", "scopes": ["trace:write", "memory:read", "trace:write"], "environment": "test"});
    let created = app.post("/api-keys", body).await.ok();
    assert_answer!("created_key", &created);
    let api_key = text(&created["api_key"]);
    let public_id = text(&created["key"]["public_id"]);
    assert!(api_key.starts_with(&format!("rf_test_{public_id}_")));
    let holder = app.with_key(&api_key);
    holder.get("/traces").await.ok();
    holder.get("/memories").await.ok();
    holder.get("/settings").await.assert_code("forbidden");
}

#[tokio::test]
async fn a_key_hands_on_what_its_scopes_cover() {
    let app = TestApp::new();
    let holder = app.holding(&["keys:write", "trace:write"]).await;
    holder.holding(&["trace:read"]).await.get("/traces").await.ok();
    holder.holding(&[]).await.get("/traces").await.assert_code("forbidden");
}

#[tokio::test]
async fn a_key_cannot_hand_on_what_it_lacks() {
    let app = TestApp::new();
    let holder = app.holding(&["keys:write", "trace:read"]).await;
    for scope in ["trace:write", "memory:read", "project:delete"] {
        let body = json!({"label": "more", "scopes": [scope]});
        holder.post("/api-keys", body).await.assert_code("forbidden");
    }
    let body = json!({"label": "odd", "scopes": ["everything"]});
    app.post("/api-keys", body).await.assert_invalid("scopes[0]");
    let body = json!({"label": "x".repeat(257), "scopes": []});
    app.post("/api-keys", body).await.assert_invalid("label");
    assert_eq!(app.get("/api-keys").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn keys_are_listed_oldest_first_without_their_secrets() {
    let app = TestApp::new();
    let first = app.holding(&["memory:read"]).await;
    app.holding(&["trace:read"]).await;
    first.get("/memories").await.ok();
    let keys = app.get("/api-keys").await;
    let listed = keys.json.to_string();
    assert_answer!("keys", &keys.ok());
    let (_, secret) = first.key.rsplit_once('_').unwrap();
    assert!(!listed.contains(secret));
}

#[tokio::test]
async fn a_project_without_keys_lists_none() {
    let app = TestApp::new();
    assert_eq!(app.get("/api-keys").await.ok(), json!([]));
    app.project("other").holding(&["memory:read"]).await;
    assert_eq!(app.get("/api-keys").await.ok(), json!([]));
}

#[tokio::test]
async fn the_list_needs_the_scope() {
    let app = TestApp::new();
    let holder = app.holding(&["memory:read"]).await;
    holder.get("/api-keys").await.assert_code("forbidden");
}

#[tokio::test]
async fn a_use_is_seen_in_the_list() {
    let app = TestApp::new();
    let holder = app.holding(&["memory:read"]).await;
    assert_eq!(app.get("/api-keys").await.ok()[0]["last_used_at"], json!(null));
    holder.get("/memories").await.ok();
    let used = app.get("/api-keys").await.ok()[0]["last_used_at"].clone();
    app.clock.turn_seconds(5);
    holder.get("/memories").await.ok();
    let later = app.get("/api-keys").await.ok()[0]["last_used_at"].clone();
    assert!(text(&used) < text(&later));
}

#[tokio::test]
async fn a_revoked_key_opens_nothing() {
    let app = TestApp::new();
    let holder = app.holding(&["memory:read"]).await;
    holder.get("/memories").await.ok();
    let key_id = text(&app.get("/api-keys").await.ok()[0]["id"]);
    let revoked = app.post(&format!("/api-keys/{key_id}/revoke"), json!({})).await.ok();
    assert_answer!("revoked_key", &revoked);
    holder.get("/memories").await.assert_code("unauthorized");
    assert_eq!(app.get("/api-keys").await.ok()[0]["status"], "revoked");
}

/// Otherwise whoever has a key could hold back the end of a request, and make another one once it is revoked.
#[tokio::test]
async fn a_key_that_is_revoked_while_a_body_comes_does_nothing_more() {
    let app = TestApp::new();
    let server = Listening::start(&app, Default::default()).await;
    let body = json!({"label": "successor", "scopes": ["keys:write"]}).to_string();
    for (number, path) in ["/v1/projects/default/api-keys", "/mcp"].into_iter().enumerate() {
        let created = app.post("/api-keys", json!({"label": "ci", "scopes": ["keys:write"]})).await.ok();
        let request = request_with_key(&text(&created["api_key"]), "POST", path, &body);
        let (most, last) = request.split_at(request.len() - 1);
        let mut connection = server.connect().await;
        connection.send(most).await;
        // Until the server knows whose request it is.
        while app.get("/api-keys").await.ok()[number]["last_used_at"].is_null() {
            tokio::task::yield_now().await;
        }
        let path = format!("/api-keys/{}/revoke", text(&created["key"]["id"]));
        app.post(&path, json!({})).await.ok();
        connection.ask(last).await.assert_status(401);
    }
    assert_eq!(app.get("/api-keys").await.ok().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn revoking_twice_answers_the_same_key() {
    let app = TestApp::new();
    app.holding(&["memory:read"]).await;
    let key_id = text(&app.get("/api-keys").await.ok()[0]["id"]);
    let path = format!("/api-keys/{key_id}/revoke");
    let first = app.post(&path, json!({})).await.ok();
    app.clock.turn_seconds(60);
    assert_eq!(app.post(&path, json!({})).await.ok(), first);
}

#[tokio::test]
async fn a_key_of_another_project_cannot_be_revoked() {
    let app = TestApp::new();
    let holder = app.project("other").holding(&["memory:read"]).await;
    let key_id = text(&app.project("other").get("/api-keys").await.ok()[0]["id"]);
    let path = format!("/api-keys/{key_id}/revoke");
    app.post(&path, json!({})).await.assert_code("not_found");
    app.post("/api-keys/nonsense/revoke", json!({})).await.assert_code("not_found");
    holder.get("/memories").await.ok();
}

#[tokio::test]
async fn a_repeated_request_shows_its_secret_to_nobody_else() {
    let app = TestApp::new();
    let (first, second) =
        (app.holding(&["keys:write", "trace:write"]).await, app.holding(&["keys:write", "trace:write"]).await);
    let create = async |client: &Client| {
        let body = json!({"label": "ci", "scopes": ["trace:write"]});
        client.post_once("deploy-7", "/api-keys", body).await
    };
    let made = create(&first).await.ok();
    assert_eq!(create(&first).await.ok(), made);
    for other in [&second, &*app] {
        let refused = create(other).await.assert_code("idempotency_key_reused");
        assert!(!refused.json.to_string().contains("rf_live"), "{}", refused.json);
    }
}

#[tokio::test]
async fn a_key_opens_nothing_once_its_time_is_over() {
    let app = TestApp::new();
    let body = json!({"label": "for a minute", "scopes": ["memory:read"], "expires_in_seconds": 60});
    let created = app.post("/api-keys", body).await.ok();
    let holder = app.with_key(&text(&created["api_key"]));
    assert_eq!(created["key"]["status"], "active");
    app.clock.turn_seconds(50);
    holder.get("/memories").await.ok();
    app.clock.turn_seconds(10);
    let refused = holder.get("/memories").await.assert_code("unauthorized");
    let message = text(&refused.json["error"]["message"]);
    assert!(message.contains(&text(&created["key"]["expires_at"])), "{message}");
    assert_eq!(app.get("/api-keys").await.ok()[0]["status"], "expired");
    app.clock.turn_seconds(31 * 24 * 3_600);
    app.engine.prune().await.unwrap();
    assert_eq!(app.get("/api-keys").await.ok(), json!([]));
}

#[tokio::test]
async fn a_key_whose_time_is_limited_makes_none_that_outlive_it() {
    let app = TestApp::new();
    let create = async |client: &Client, seconds: serde_json::Value| {
        let scopes = json!(["keys:write"]);
        client.post("/api-keys", json!({"label": "k", "scopes": scopes, "expires_in_seconds": seconds})).await
    };
    let holder = app.with_key(&text(&create(&app, json!(60)).await.ok()["api_key"]));
    create(&holder, json!(30)).await.ok();
    create(&holder, json!(null)).await.assert_code("forbidden");
    let refused = create(&holder, json!(600)).await.assert_code("forbidden");
    assert!(text(&refused.json["error"]["message"]).contains("expires_in_seconds"), "{}", refused.json);
    for wrong in [0, 315_360_001] {
        create(&app, json!(wrong)).await.assert_invalid("expires_in_seconds");
    }
}

#[tokio::test]
async fn a_key_is_closed_although_its_revoker_has_gone() {
    let app = TestApp::new();
    let holder = app.holding(&["trace:read"]).await;
    holder.get("/traces").await.ok();
    let keys = app.get("/api-keys").await.ok();
    let revoke = format!("/api-keys/{}/revoke", text(&keys[0]["id"]));
    assert!(app.post(&revoke, json!({})).now_or_never().is_none());
    let closed = async {
        while app.get("/api-keys").await.ok()[0]["status"] != "revoked" || holder.get("/traces").await.status != 401 {
            tokio::task::yield_now().await;
        }
    };
    assert!(timeout(Duration::from_secs(30), closed).await.is_ok());
}

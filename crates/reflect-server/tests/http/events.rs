//! Watching a project: what is told, to whom, and for how long.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::{Request, header},
};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    client::{Client, run, text},
    test_app::TestApp,
};

/// A stream of events, read line by line.
struct Events(BodyDataStream);

impl Events {
    async fn open(client: &Client) -> Self {
        let request = Request::get(client.in_project("/events"))
            .header(header::AUTHORIZATION, format!("Bearer {}", client.key))
            .body(Body::empty());
        let response = client.router.clone().oneshot(request.unwrap()).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        let mut events = Self(response.into_body().into_data_stream());
        assert_eq!(events.next().await.as_deref(), Some(": watching\n\n"));
        events
    }

    /// What is sent next; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        let next = tokio::time::timeout(Duration::from_secs(60), self.0.next()).await.unwrap();
        next.map(|bytes| String::from_utf8(bytes.unwrap().to_vec()).unwrap())
    }

    async fn changed(&mut self) -> Value {
        let event = self.next().await.unwrap();
        let data = event.strip_prefix("event: changed\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
        serde_json::from_str(data).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_and_many_make_one_event() {
    let app = TestApp::new();
    let mut events = Events::open(&app.holding(&["trace:read"]).await).await;
    for _ in 0..5 {
        app.create(run("Refund an order")).await;
    }
    assert_eq!(events.changed().await, json!({"traces": true, "memories": false, "settings": false, "queue": false}));
    app.learned("Refund an order").await;
    assert_eq!(events.changed().await, json!({"traces": true, "memories": true, "settings": false, "queue": true}));
    app.patch("/settings", json!({"lambda": 0.5})).await.ok();
    assert_eq!(events.changed().await["settings"], true);
}

#[tokio::test(start_paused = true)]
async fn another_project_is_not_heard_of_and_silence_is_broken_by_comments() {
    let app = TestApp::new();
    let mut events = Events::open(&app).await;
    app.project("other").create(run("Refund an order")).await;
    for _ in 0..2 {
        assert_eq!(events.next().await.as_deref(), Some(": still here\n\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_key_and_with_its_project() {
    let app = TestApp::new();
    let mut events = Events::open(&app.holding(&["trace:read"]).await).await;
    let key_id = text(&app.get("/api-keys").await.ok()[0]["id"]);
    app.post(&format!("/api-keys/{key_id}/revoke"), json!({})).await.ok();
    assert_eq!(events.next().await, None);
    let mut events = Events::open(&app.holding(&["trace:read"]).await).await;
    app.delete("").await.ok();
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn only_so_many_watch_and_only_who_may_read() {
    let app = TestApp::new();
    app.holding(&["memory:read"]).await.get("/events").await.assert_code("forbidden");
    app.with_key("").get("/events").await.assert_code("unauthorized");
    let mut watching = Vec::new();
    for _ in 0..128 {
        watching.push(Events::open(&app).await);
    }
    app.get("/events").await.assert_code("unavailable");
    watching.pop();
    Events::open(&app).await;
}

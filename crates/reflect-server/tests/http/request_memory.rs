//! What requests hold in memory, all of them together.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{Method, Request},
    response::Response,
};
use futures_util::future::join_all;
use reflect_server::{App, ConnectionSettings};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    client::{Client, run},
    sockets::{Listening, request},
    test_app::TestApp,
};

const TRACES: &str = "/v1/projects/default/traces";

fn large_run() -> Value {
    let mut large = run("x");
    large["final_response"] = json!("y".repeat(900_000));
    large
}

fn app_with(app: &TestApp, mebibytes: usize) -> App {
    App::new(Arc::clone(&app.engine), None, app.limits()).with_request_memory(mebibytes << 20)
}

/// An answer that its client does not read.
async fn unread(client: &Client, path: &str) -> Response {
    let request = Request::get(client.in_project(path)).header("authorization", format!("Bearer {}", client.key));
    client.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

#[tokio::test]
async fn over_the_bound_large_requests_hear_when_to_come_back() {
    let app = TestApp::new();
    let trace_id = app.create(large_run()).await;
    let client = Client { router: reflect_server::router(app_with(&app, 4)), ..(*app).clone() };
    let trace = format!("/traces/{trace_id}");
    // A list keeps what its largest piece takes as values and as JSON, one trace what its JSON has.
    for (held, count) in [("/traces", 2), (trace.as_str(), 3)] {
        let held = join_all((0..count).map(|_| unread(&client, held))).await;
        assert!(held.iter().all(|response| response.status() == 200));
        let (list, one, sent) =
            tokio::join!(client.get("/traces"), client.get(&trace), client.post("/traces", large_run()));
        for refused in [list, one, sent] {
            assert_eq!(refused.assert_code("unavailable").header("retry-after"), "1");
        }
        client.create(run("small")).await;
        drop(held);
        client.get(&trace).await.ok();
        client.create(large_run()).await;
        assert!(!client.send(Method::GET, TRACES, None, &[]).await.ok().as_array().unwrap().is_empty());
    }
}

#[tokio::test]
async fn who_does_not_read_or_send_makes_room_for_others() {
    let app = TestApp::new();
    for _ in 0..30 {
        app.create(large_run()).await;
    }
    let hour = Duration::from_secs(3_600);
    let patient = ConnectionSettings { most: 100, head_timeout: hour, idle_timeout: hour, send_timeout: hour };
    let server = Listening::serve(app_with(&app, 6), patient).await;
    let whole = request("POST", TRACES, &large_run().to_string());
    let mut crowd = Vec::new();
    for _ in 0..4 {
        let mut deaf = server.connect_with_small_buffer().await;
        deaf.send(request("GET", TRACES, "")).await;
        let mut dawdler = server.connect().await;
        dawdler.send(&whole[..whole.len() - 3]).await;
        crowd.extend([deaf, dawdler]);
    }
    for _ in 0..3 {
        ask_until_answered(&server, &whole).await;
    }
}

/// Comes back as told.
async fn ask_until_answered(server: &Listening, request: &str) {
    for _ in 0..10 {
        let answer = server.connect_from(2).await.ask(request).await;
        match answer.status {
            503 => assert!(answer.head.contains("\r\nretry-after: 1\r\n"), "{}", answer.head),
            _ => return drop(answer.assert_status(200)),
        }
    }
    panic!("nobody made room");
}

/// Parsed, each of its lists takes forty times its bytes.
#[tokio::test]
async fn a_message_of_many_small_lists_is_counted_by_what_they_take() {
    let app = TestApp::new();
    let client = Client { router: reflect_server::router(app_with(&app, 4)), ..(*app).clone() };
    let call = |lists: usize| {
        let arguments = json!({"query": "t", "filter": vec![[1]; lists]});
        let params = json!({"name": "retrieve_memories", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    };
    let headers =
        [("accept", "application/json, text/event-stream"), ("host", "localhost"), ("x-project-id", "default")];
    client.send(Method::POST, "/mcp", Some(&call(8_000)), &headers).await.ok();
    client.send(Method::POST, "/mcp", Some(&call(16_000)), &headers).await.assert_code("payload_too_large");
    let trace = format!("/traces/{}", app.create(large_run()).await);
    let held = join_all((0..3).map(|_| unread(&client, &trace))).await;
    assert!(held.iter().all(|response| response.status() == 200));
    client.send(Method::POST, "/mcp", Some(&call(8_000)), &headers).await.assert_code("unavailable");
}

//! The Model Context Protocol at `/mcp`. The suite in `tests/python` drives it with the protocol's own client.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    client::{Client, text},
    test_app::TestApp,
};

const ALWAYS: [(&str, &str); 2] = [("accept", "application/json, text/event-stream"), ("host", "localhost")];

async fn send(client: &Client, message: &Value, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<(&str, &str)> = ALWAYS.iter().chain(headers).copied().collect();
    client.send(Method::POST, "/mcp", Some(message), &headers).await
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn lesson(task: &str) -> Value {
    call("create_memory", json!({"task": task, "result": "pass", "guidance": "Look first."}))
}

/// A caller whose key is bound to the project, so that no header names it.
async fn bound(app: &TestApp) -> Client {
    app.holding(&["memory:read", "trace:write"]).await
}

#[tokio::test]
async fn a_lesson_is_created_and_retrieved() {
    let app = TestApp::new();
    let client = bound(&app).await;
    let made = send(&client, &lesson("find the report"), &[]).await.ok();
    assert_eq!((&made["id"], &made["result"]["isError"]), (&json!(7), &json!(false)), "{made}");
    assert_eq!(made["result"]["structuredContent"]["ingest_status"], "completed");
    let found = send(&client, &call("retrieve_memories", json!({"query": "find the report"})), &[]).await.ok();
    let block = text(&found["result"]["content"][0]["text"]);
    assert!(block.starts_with("<relevant_memories>") && block.contains("<guidance>Look first.</guidance>"), "{block}");
}

#[tokio::test]
async fn a_call_that_is_repeated_by_its_name_is_carried_out_once() {
    let app = TestApp::new();
    let client = bound(&app).await;
    let named = [("idempotency-key", "one")];
    let first = send(&client, &lesson("find the report"), &named).await.ok();
    let again = send(&client, &lesson("find the report"), &named).await.ok();
    assert_eq!(first, again);
    assert_eq!(app.get("/traces").await.ok().as_array().unwrap().len(), 1);
    let other = send(&client, &lesson("find another report"), &named).await.ok();
    assert!(text(&other["result"]["content"][0]["text"]).contains("idempotency_key_reused"), "{other}");
}

#[tokio::test]
async fn the_master_key_names_its_project() {
    let app = TestApp::new();
    send(&app, &lesson("t"), &[]).await.assert_invalid("X-Project-Id");
    send(&app, &lesson("t"), &[("x-project-id", "")]).await.assert_invalid("X-Project-Id");
    send(&app, &lesson("t"), &[("x-project-id", "a/b c")]).await.ok();
    assert_eq!(app.project("a/b c").get("/traces").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_opens_its_own_project_with_its_own_scopes() {
    let app = TestApp::new();
    let client = app.holding(&["memory:read"]).await;
    let refused = send(&client, &lesson("t"), &[]).await.ok();
    assert!(text(&refused["result"]["content"][0]["text"]).contains("trace:write"), "{refused}");
    let query = call("retrieve_memories", json!({"query": "t"}));
    let refused = send(&client, &query, &[("x-project-id", "another")]).await.ok();
    assert!(text(&refused["result"]["content"][0]["text"]).contains("forbidden"), "{refused}");
    send(&client.with_key(""), &query, &[]).await.assert_code("unauthorized");
    send(&client.with_key("rf_live_a_b"), &query, &[]).await.assert_code("unauthorized");
    assert_eq!(app.get("/traces").await.ok(), json!([]));
}

#[tokio::test]
async fn pages_of_other_hosts_are_refused_before_their_key_is_looked_at() {
    let app = TestApp::new();
    let client = bound(&app).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "http://203.0.113.5"] {
        let refused = send(&client.with_key("wrong"), &list, &[("origin", origin)]).await;
        refused.assert_code("forbidden");
    }
    for origin in ["http://localhost", "http://me.localhost:3000", "http://127.0.0.1:6274", "http://[::1]:80"] {
        send(&client, &list, &[("origin", origin)]).await.ok();
    }
}

#[tokio::test]
async fn a_body_is_bounded_as_everywhere() {
    let app = TestApp::new();
    let client = bound(&app).await;
    let large = lesson(&"x".repeat(app.limits().body_bytes));
    send(&client, &large, &[]).await.assert_code("payload_too_large");
    let deep = (0..app.limits().nesting).fold(json!(1), |inner, _| json!([inner]));
    send(&client, &call("create_memory", json!({"task": "t", "metadata": {"deep": deep}})), &[])
        .await
        .assert_code("invalid_request");
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/nothing"});
    assert_eq!(send(&client, &unknown, &[]).await.json["error"]["code"], -32601);
    client.send(Method::POST, "/mcp", Some(&json!({})), &[("host", "localhost")]).await.assert_code("bad_request");
    client.send(Method::GET, "/mcp", None, &[]).await.assert_code("method_not_allowed");
}

//! What a web page could do through its visitor's browser, and requests that two readers would read differently.

use std::sync::Arc;

use axum::http::Method;
use reflect_server::App;
use serde_json::json;

use crate::{
    client::run,
    sockets::{HEALTH, Listening, request},
    test_app::TestApp,
};

const TRACES: &str = "/v1/projects/default/traces";

fn from_host(host: &str) -> String {
    HEALTH.replace("localhost", host)
}

#[tokio::test]
async fn a_name_that_leads_here_from_elsewhere_is_refused() {
    let app = TestApp::new();
    let server = Listening::start(&app, Default::default()).await;
    let mut browser = server.connect().await;
    for host in ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example"] {
        let refused = browser.ask(from_host(host)).await.assert_status(403);
        assert_eq!(refused.json()["error"]["code"], "forbidden", "{host}");
    }
    let absolute = "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    browser.ask(absolute).await.assert_status(403);
    let ingest = request("POST", TRACES, &run("x").to_string()).replace("Host: localhost", "Host: evil.example");
    browser.ask(ingest).await.assert_status(403);
    assert_eq!(app.get("/traces").await.ok(), json!([]));
    for host in ["localhost", "LOCALHOST:8000", "localhost.", "me.localhost", "127.0.0.1:1", "[::1]", "[::1]:80"] {
        browser.ask(from_host(host)).await.assert_status(200);
    }
}

#[tokio::test]
async fn the_operator_may_name_further_hosts() {
    let app = TestApp::new();
    let served = App::new(Arc::clone(&app.engine), None, app.limits()).with_allowed_hosts(["reflect.lan".to_owned()]);
    let server = Listening::serve(served, Default::default()).await;
    let mut client = server.connect().await;
    client.ask(from_host("Reflect.lan:8000")).await.assert_status(200);
    client.ask(from_host("other.lan")).await.assert_status(403);
}

#[tokio::test]
async fn two_hosts_or_none_are_refused() {
    let app = TestApp::new();
    let server = Listening::start(&app, Default::default()).await;
    let mut client = server.connect().await;
    for head in ["Host: localhost\r\nHost: localhost\r\n", "", "Host: \r\n", "Host: a b\r\n"] {
        client.ask(format!("GET /health HTTP/1.1\r\n{head}\r\n")).await.assert_status(400);
    }
    client.ask("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").await.assert_status(200);
}

#[tokio::test]
async fn bare_line_feeds_are_refused_wherever_a_head_stands() {
    let app = TestApp::new();
    let server = Listening::start(&app, Default::default()).await;
    for head in [
        "GET /health HTTP/1.1\nHost: localhost\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\n\n",
        "GET /health HTTP/1.1\nHost: localhost\n\n",
    ] {
        let mut client = server.connect().await;
        let refused = client.ask(head).await.assert_status(400);
        assert!(refused.closes(), "{}", refused.head);
        client.closed().await;

        // Behind a request in the same breath, too.
        let mut client = server.connect().await;
        let before = request("POST", TRACES, &serde_json::to_string_pretty(&run("x")).unwrap());
        client.ask(format!("{before}{HEALTH}{head}")).await.assert_status(200);
        client.answer().await.unwrap().assert_status(200);
        client.answer().await.unwrap().assert_status(400);
    }
}

#[tokio::test]
async fn requests_that_follow_at_once_are_answered_one_after_the_other() {
    let app = TestApp::new();
    let server = Listening::start(&app, Default::default()).await;
    let mut client = server.connect().await;
    let chunked = request("POST", TRACES, "").replace("Content-Length: 0", "Transfer-Encoding: chunked");
    let body = run("in chunks").to_string();
    let chunked = format!("{chunked}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    client.ask(&chunked).await.assert_status(200);
    let plain = request("POST", TRACES, &run("x").to_string());
    client.ask(format!("{plain}{plain}{HEALTH}")).await.assert_status(200);
    client.answer().await.unwrap().assert_status(200);
    client.answer().await.unwrap().assert_status(200);
    client.ask(&chunked).await.assert_status(200);
    assert_eq!(app.get("/traces").await.ok().as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn every_answer_says_what_browsers_may_not_do_with_it() {
    let app = TestApp::new();
    let paths = ["/health", "/v1/projects", "/no/such/path", "/docs/", "/openapi.json", "/metrics"];
    for path in paths {
        let answer = app.send(Method::GET, path, None, &[]).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
    }
    let key = app.post("/api-keys", json!({"label": "x", "scopes": ["trace:read"]})).await;
    assert_eq!(key.header("cache-control"), "no-store");
}

//! A connection stays usable when a request is refused before its body was read, or says that it ends.

use reflect_api::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::{
    sockets::{HEALTH, Listening, Raw, request, request_with_key},
    test_app::{MASTER_KEY, Setup, TestApp},
};

const TRACES: &str = "/v1/projects/default/traces";
const NO_TRACE: &str = "/v1/projects/default/traces/018f0000-0000-7000-8000-000000000000/review";

/// Requests that are refused before their bodies are read, by the status they get.
fn refused(body: &str) -> Vec<(u16, String)> {
    vec![
        (401, request_with_key("rf_live_nobody_0000", "POST", TRACES, body)),
        (404, request("POST", "/v1/projects/default/traces/none/review", body)),
        (404, request("POST", NO_TRACE, body)),
        (404, request("POST", "/v1/no/such/route", body)),
        (405, request("PUT", TRACES, body)),
        (404, request("POST", "/v1/bootstrap", body)),
    ]
}

async fn listening() -> (TestApp, Listening) {
    let app = Setup { bootstrap_token: None, ..Setup::default() }.start();
    let server = Listening::start(&app, Default::default()).await;
    (app, server)
}

async fn assert_usable(connection: &mut Raw) {
    connection.ask(HEALTH).await.assert_status(200);
}

#[tokio::test]
async fn what_is_small_is_read_and_the_next_request_is_answered() {
    let (_app, server) = listening().await;
    let body = json!({"result": "pass", "feedback_text": "x".repeat(100_000)}).to_string();
    let mut connection = server.connect().await;
    for (status, request) in refused(&body) {
        let answer = connection.ask(&request).await.assert_status(status);
        assert!(!answer.closes(), "{}", answer.head);
        assert_usable(&mut connection).await;
    }
}

#[tokio::test]
async fn a_body_that_comes_after_its_answer_was_due_does_no_harm() {
    let (_app, server) = listening().await;
    let mut connection = server.connect().await;
    for (status, request) in refused("{\"result\": \"pass\"}") {
        let (head, body) = request.split_at(request.len() - 10);
        connection.send(head).await;
        tokio::task::yield_now().await;
        connection.ask(body).await.assert_status(status);
        assert_usable(&mut connection).await;
    }
}

#[tokio::test]
async fn for_what_is_large_the_answer_says_that_the_connection_ends() {
    let (_app, server) = listening().await;
    let body = json!({"result": "pass", "feedback_text": "x".repeat(4 << 20)}).to_string();
    for (status, request) in refused(&body).into_iter().filter(|(_, request)| !request.contains(NO_TRACE)) {
        // Everything is sent before anything is read, as simple clients do.
        let mut connection = server.connect().await;
        let answer = connection.ask(&request).await.assert_status(status);
        assert!(answer.closes(), "{}", answer.head);
        connection.stream.shutdown().await.unwrap();
        connection.closed().await;
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_whichever_way_it_comes() {
    let app = Setup { limits: Limits { body_bytes: 1_000, ..Limits::default() }, ..Setup::default() }.start();
    let server = Listening::start(&app, Default::default()).await;

    let mut connection = server.connect().await;
    let small = connection.ask(request("POST", TRACES, &"x".repeat(50_000))).await.assert_status(413);
    assert!(!small.closes());
    assert_usable(&mut connection).await;
    let large = connection.ask(request("POST", TRACES, &"x".repeat(20 << 20))).await.assert_status(413);
    assert!(large.closes());

    let mut connection = server.connect().await;
    let head = format!(
        "POST {TRACES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {MASTER_KEY}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let chunks = |count: usize| format!("400\r\n{}\r\n", "x".repeat(0x400)).repeat(count);
    connection.send(format!("{head}{}", chunks(20))).await;
    assert!(!connection.ask("0\r\n\r\n").await.assert_status(413).closes());
    assert_usable(&mut connection).await;
    connection.send(format!("{head}{}", chunks(1_000))).await;
    assert!(connection.answer().await.unwrap().assert_status(413).closes());
}

#[tokio::test]
async fn who_waits_to_be_told_to_send_hears_the_refusal_instead() {
    let (_app, server) = listening().await;
    let mut connection = server.connect().await;
    let head =
        format!("POST {TRACES} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n");
    assert!(connection.ask(head).await.assert_status(401).closes());
}

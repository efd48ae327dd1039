//! Clients that take up connections, and what everybody else experiences.

use std::time::{Duration, Instant};

use reflect_server::ConnectionSettings;
use serde_json::json;

use crate::{
    client::run,
    sockets::{HEALTH, Listening, Raw, request},
    test_app::TestApp,
};

const TRACES: &str = "/v1/projects/default/traces";
const SETTINGS: &str = "/v1/projects/default/settings";
const QUERY: &str = "/v1/projects/default/memory/query";

/// Nobody is given up for dawdling.
fn patient(most: usize) -> ConnectionSettings {
    let hour = Duration::from_secs(3_600);
    ConnectionSettings { most, head_timeout: hour, idle_timeout: hour, send_timeout: hour }
}

async fn crowd(server: &Listening, count: usize, says: &str) -> Vec<Raw> {
    let mut crowd = Vec::new();
    for _ in 0..count {
        let mut one = server.connect().await;
        one.send(says).await;
        crowd.push(one);
    }
    crowd
}

#[tokio::test]
async fn who_dawdles_with_a_head_takes_nobody_elses_place() {
    let app = TestApp::new();
    let server = Listening::start(&app, patient(20)).await;
    let mut bystander = server.connect_from(2).await;
    bystander.ask(HEALTH).await.assert_status(200);
    let head = "POST /v1/bootstrap HTTP/1.1\r\nHost: localhost\r\nX-";
    let _crowd = crowd(&server, 100, head).await;
    bystander.ask(HEALTH).await.assert_status(200);
    server.connect_from(3).await.ask(request("POST", TRACES, &run("x").to_string())).await.assert_status(200);
}

#[tokio::test]
async fn who_dawdles_with_a_body_takes_nobody_elses_place() {
    let app = TestApp::new();
    let server = Listening::start(&app, patient(20)).await;
    let whole = request("POST", TRACES, &run("x").to_string());
    let _crowd = crowd(&server, 100, &whole[..whole.len() - 3]).await;
    server.connect_from(2).await.ask(request("POST", QUERY, "{\"task\": \"x\"}")).await.assert_status(200);
}

#[tokio::test]
async fn when_all_are_being_answered_operators_get_in_and_others_hear_when_to_come_back() {
    // Nobody writes lessons here, so whoever sends a review is kept waiting.
    let app = TestApp::new();
    let server = Listening::start(&app, patient(3)).await;
    let mut busy = Vec::new();
    for _ in 0..3 {
        let trace_id = app.create(run("x")).await;
        let review = request("POST", &format!("{TRACES}/{trace_id}/review"), "{\"result\": \"pass\"}");
        busy.extend(crowd(&server, 1, &review).await);
        while app.trace(&trace_id).await["review"].is_null() {
            tokio::task::yield_now().await;
        }
    }
    let refused = server.connect_from(2).await.ask(request("GET", SETTINGS, "")).await.assert_status(503);
    assert_eq!(refused.json()["error"]["code"], "unavailable");
    assert!(refused.closes() && refused.head.contains("\r\nretry-after: 1\r\n"), "{}", refused.head);
    // Dawdlers do not take the reserve, either.
    let _crowd = crowd(&server, 50, "GET /hea").await;
    for path in ["/health", "/metrics"] {
        let asked = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        server.connect_from(2).await.ask(asked).await.assert_status(200);
    }
}

#[tokio::test]
async fn who_is_silent_for_too_long_is_given_up() {
    let app = TestApp::new();
    let short = Duration::from_secs(1);
    let server = Listening::start(&app, ConnectionSettings { head_timeout: short, ..patient(100) }).await;
    server.connect().await.closed().await;
    let mut dawdler = server.connect().await;
    dawdler.ask(HEALTH).await.assert_status(200);
    dawdler.send("GET /health HTTP/1.1\r\n").await;
    dawdler.closed().await;

    let server = Listening::start(&app, ConnectionSettings { idle_timeout: short, ..patient(100) }).await;
    let mut idle = server.connect().await;
    idle.ask(HEALTH).await.assert_status(200);
    idle.closed().await;
}

#[tokio::test]
async fn who_does_not_read_its_answer_is_given_up() {
    let app = TestApp::new();
    let mut large = run("x");
    large["final_response"] = json!("y".repeat(900_000));
    for _ in 0..30 {
        app.create(large.clone()).await;
    }
    let settings = ConnectionSettings { send_timeout: Duration::from_secs(2), ..patient(100) };
    let server = Listening::start(&app, settings).await;
    let mut deaf = server.connect_with_small_buffer().await;
    deaf.send(request("GET", TRACES, "")).await;
    deaf.given_up().await;
    assert!(deaf.rest().await < 30 * 900_000, "the answer was cut off");
    let mut attentive = server.connect().await;
    attentive.send(request("GET", TRACES, "").replace("HTTP/1.1", "HTTP/1.0")).await;
    assert!(attentive.rest().await > 30 * 900_000);
}

#[tokio::test]
async fn the_end_comes_whoever_dawdles() {
    let app = TestApp::new();
    let server = Listening::start(&app, patient(100)).await;
    let whole = request("POST", TRACES, &run("x").to_string());
    let _heads = crowd(&server, 5, "GET /hea").await;
    let _bodies = crowd(&server, 5, &whole[..whole.len() - 3]).await;
    let mut idle = server.connect().await;
    idle.ask(HEALTH).await.assert_status(200);
    let asked = Instant::now();
    server.stopped().await;
    assert!(asked.elapsed() < Duration::from_secs(9), "it took {:?}", asked.elapsed());
}

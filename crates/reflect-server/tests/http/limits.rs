//! Rate limits of keys, quotas of projects, and how long traces are kept.

use std::time::Duration;

use reflect_core::Outcome;
use reflect_engine::EngineSettings;
use reflect_server::KeyRate;
use serde_json::json;

use crate::{
    client::{Client, ids, reviewed_run, run, text},
    test_app::{Setup, TestApp},
};

/// A server whose keys may ask twice, and then once in a thousand seconds.
fn slow_keys() -> TestApp {
    Setup { key_rate: Some(KeyRate { per_second: 0.001, burst: 2.0 }), ..Setup::default() }.start()
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_when_to_come_back_and_its_neighbour_notices_nothing() {
    let app = slow_keys();
    let (fast, neighbour) = (app.holding(&["trace:read"]).await, app.holding(&["trace:read"]).await);
    for _ in 0..2 {
        fast.get("/traces").await.ok();
    }
    let refused = fast.get("/traces").await.assert_code("rate_limited");
    assert!((990..=1_000).contains(&refused.header("retry-after").parse::<u64>().unwrap()), "{refused:?}");
    assert!(refused.json["error"]["message"].as_str().unwrap().contains("try again in"), "{refused:?}");
    neighbour.get("/traces").await.ok();
    // Operators always get in.
    for _ in 0..5 {
        app.get("/traces").await.ok();
    }
}

#[tokio::test]
async fn a_wrong_key_takes_nothing_of_the_right_one() {
    let app = slow_keys();
    let client = app.holding(&["trace:read"]).await;
    let guess = client.with_key(&format!("{}x", client.key));
    for _ in 0..5 {
        guess.get("/traces").await.assert_code("unauthorized");
    }
    client.get("/traces").await.ok();
}

fn with(settings: EngineSettings) -> TestApp {
    Setup { settings, ..Setup::default() }.start()
}

async fn create_some(client: &Client, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(client.create(run("Refund order 7")).await);
    }
    ids
}

#[tokio::test]
async fn a_project_over_its_quota_waits_for_midnight_and_others_do_not() {
    let app = with(EngineSettings { daily_traces: Some(2), ..EngineSettings::default() });
    let first = app.post_once("first", "/traces", run("Refund order 7")).await.ok();
    app.post("/traces", json!({"task": ""})).await.assert_status(422);
    create_some(&app, 1).await;
    let refused = app.post("/traces", run("Refund order 7")).await.assert_code("quota_exceeded");
    let seconds: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=86_401).contains(&seconds), "{seconds}");
    assert_eq!(app.post_once("first", "/traces", run("Refund order 7")).await.ok(), first, "it was stored before");
    create_some(&app.project("another"), 2).await;

    // A restart forgets nothing, and a new day begins at nothing.
    let app = app.restart();
    app.post("/traces", run("Refund order 7")).await.assert_code("quota_exceeded");
    app.clock.turn_seconds(seconds);
    create_some(&app, 2).await;
    app.post("/traces", run("Refund order 7")).await.assert_code("quota_exceeded");
}

#[tokio::test]
async fn traces_are_forgotten_by_age_and_what_they_taught_stays() {
    let day = Duration::from_secs(86_400);
    let app = with(EngineSettings { trace_retention: Some(2 * day), ..EngineSettings::default() });
    let memory_id = app.learned("Refund order 7").await;
    let used = text(&app.shown_trace(&[&memory_id], Outcome::Pass).await["id"]);
    let waiting = app.create(reviewed_run("Refund order 8", json!({"result": "fail"}))).await;
    // What is believed ages.
    let remembered = async || {
        let mut memory = app.memory(&memory_id).await;
        memory.as_object_mut().unwrap().remove("evidence");
        memory
    };
    let before = remembered().await;
    app.clock.turn_seconds(3 * 86_400);
    let young = create_some(&app, 1).await;
    app.engine.prune().await.unwrap();

    let kept = ids(app.get("/traces").await.ok().as_array().unwrap());
    assert_eq!(kept, [young.concat(), waiting.clone()], "one whose lesson is still to be written stays");
    app.get(&format!("/traces/{used}")).await.assert_code("not_found");
    assert_eq!(remembered().await, before, "with its ledger");
    assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);

    app.drain().await;
    app.engine.prune().await.unwrap();
    app.get(&format!("/traces/{waiting}")).await.assert_code("not_found");
}

#[tokio::test]
async fn only_the_newest_traces_of_each_project_are_kept() {
    let app = with(EngineSettings { trace_count: Some(3), ..EngineSettings::default() });
    let ids = create_some(&app, 5).await;
    let few = create_some(&app.project("another"), 3).await;
    app.engine.prune().await.unwrap();
    for (at, id) in ids.iter().enumerate() {
        let status = if at < 2 { 404 } else { 200 };
        app.get(&format!("/traces/{id}")).await.assert_status(status);
    }
    for id in &few {
        app.project("another").get(&format!("/traces/{id}")).await.ok();
    }
}

#[tokio::test]
async fn the_texts_of_an_answer_have_room_in_a_prompt() {
    let app = TestApp::new();
    for number in 0..5 {
        let guidance = format!("Look at {number} first. ").repeat(3_000);
        let authored = json!({"result": "pass", "reflection": {"guidance": guidance, "key_mistake": "Trusted it."}});
        app.create(json!({"task": format!("Refund order {number}"), "trajectory": [], "review": authored})).await;
    }
    let found = app.query(json!({"task": "Refund order 7"})).await;
    assert_eq!(found.len(), 5);
    let texts = ["task", "reflection", "summary", "key_mistake", "correct_action", "guidance"];
    let all: usize = found.iter().flat_map(|memory| texts.map(|name| text(&memory[name]).chars().count())).sum();
    assert!((99_000..=100_000).contains(&all), "{all}");
    for memory in &found {
        assert!(text(&memory["guidance"]).ends_with(" […]") && text(&memory["reflection"]).ends_with(" […]"));
        assert_eq!(memory["key_mistake"], "Trusted it.", "short texts stand");
    }
    let whole = app.memory(&text(&found[0]["id"])).await;
    assert!(text(&whole["guidance"]).chars().count() > 50_000, "the memory itself is whole");
}

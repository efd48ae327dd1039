//! Tasks that do without memories, so that it can be measured whether memories help.

use axum::http::Method;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    client::{Client, run, text},
    test_app::{Setup, TestApp},
};

/// A server with one memory, of whose tasks half do without it.
async fn holding_out_half() -> TestApp {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    app.patch("/settings", json!({"holdout": 0.5})).await.ok();
    app
}

async fn ask(client: &Client, number: u32) -> Answer {
    client.post("/memory/query", json!({"task": format!("Refund order {number}")})).await
}

fn is_held_out(answer: &Answer) -> bool {
    answer.headers.contains_key("x-reflect-held-out")
}

/// The number of a task that is drawn for that arm.
async fn drawn(client: &Client, held_out: bool) -> u32 {
    for number in 0..100 {
        if is_held_out(&ask(client, number).await) == held_out {
            return number;
        }
    }
    panic!("no task of a hundred was drawn for this arm")
}

#[tokio::test]
async fn about_the_share_of_tasks_is_answered_nothing_and_told_so() {
    let app = holding_out_half().await;
    let mut held_out = 0;
    for number in 0..60 {
        let answer = ask(&app, number).await;
        assert_ne!(answer.header("x-retrieval-id"), "");
        if is_held_out(&answer) {
            assert_eq!((answer.header("x-reflect-held-out"), &answer.json), ("0.5", &json!([])));
            held_out += 1;
        } else {
            assert_eq!(answer.json.as_array().unwrap().len(), 1);
        }
    }
    assert!((18..=42).contains(&held_out), "{held_out} of 60");
}

#[tokio::test]
async fn a_task_is_drawn_once_a_day() {
    let app = holding_out_half().await;
    let held_out = drawn(&app, true).await;
    for _ in 0..5 {
        assert!(is_held_out(&ask(&app, held_out).await), "retries stay together");
    }
    let mut later = Vec::new();
    for _ in 0..20 {
        app.clock.turn_seconds(24 * 3_600);
        later.push(is_held_out(&ask(&app, held_out).await));
    }
    assert!(later.contains(&false), "{later:?}");
}

#[tokio::test]
async fn those_who_only_look_are_always_answered() {
    let app = holding_out_half().await;
    let number = drawn(&app, true).await;
    let explained = json!({"task": format!("Refund order {number}"), "explain": true});
    assert_eq!(app.query(explained).await.len(), 1);
    let signed_in = app.send(Method::POST, "/v1/sign-in", Some(&json!({})), &[]).await.ok();
    let session = app.with_key(&text(&signed_in["api_key"]));
    assert_eq!(ask(&session, number).await.json.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_task_without_memories_is_not_drawn() {
    let app = TestApp::new();
    app.patch("/settings", json!({"holdout": 0.5})).await.ok();
    for number in 0..30 {
        assert!(!is_held_out(&ask(&app, number).await), "both arms would be the same");
    }
}

#[tokio::test]
async fn the_log_has_the_arm_and_the_share() {
    let app = holding_out_half().await;
    for held_out in [true, false] {
        let number = drawn(&app, held_out).await;
        let retrieval_id = ask(&app, number).await.header("x-retrieval-id").to_owned();
        let logged = app.get(&format!("/retrievals/{retrieval_id}")).await.ok();
        assert_eq!((&logged["held_out"], &logged["holdout"]), (&json!(held_out), &json!(0.5)));
        assert_eq!(logged["shown"].as_array().unwrap().is_empty(), held_out);
    }
    app.patch("/settings", json!({"holdout": 0})).await.ok();
    let retrieval_id = ask(&app, 1).await.header("x-retrieval-id").to_owned();
    let logged = app.get(&format!("/retrievals/{retrieval_id}")).await.ok();
    assert_eq!((logged.get("held_out"), logged.get("holdout")), (None, None));
}

#[tokio::test]
async fn a_run_that_was_held_out_is_not_told_that_it_forgot_its_memories() {
    let app = holding_out_half().await;
    let number = drawn(&app, true).await;
    let trace_id = app.create(run(&format!("Refund order {number}"))).await;
    assert_eq!(app.trace(&trace_id).await["warnings"], json!([]));
}

#[tokio::test]
async fn the_share_is_the_projects_else_the_servers() {
    let settings = EngineSettings { holdout: 0.5, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    app.learned("Refund an order").await;
    let number = drawn(&app, true).await;
    app.patch("/settings", json!({"holdout": 0})).await.ok();
    assert!(!is_held_out(&ask(&app, number).await));
    assert_eq!(app.get("/settings/choices").await.ok()["defaults"]["holdout"], 0.5);
    for share in [-0.01, 0.51] {
        app.patch("/settings", json!({"holdout": share})).await.assert_invalid("holdout");
    }
    let following: Value = app.patch("/settings", json!({"holdout": null})).await.ok();
    assert_eq!(following["holdout"], json!(null));
    assert!(is_held_out(&ask(&app, number).await));
}

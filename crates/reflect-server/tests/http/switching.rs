//! Switching a project to another embedder, while it goes on being used.

use std::sync::{Arc, atomic::Ordering};

use reflect_core::EmbedderId;
use reflect_embed::HashingEmbedder;
use reflect_engine::{EngineSettings, SwitchProgress};
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    assert_answer,
    client::{Client, reviewed_run, run},
    letters::{Letters, beside_hashing, only},
    test_app::{Setup, TestApp},
};

const HASHING: &str = "hashing-v1-256";
const LETTERS: &str = "letters-v1-27";

/// A server with hashing as the default and letters beside it, which embeds two memories at a time.
fn app(letters: &[&Arc<Letters>]) -> TestApp {
    let settings = EngineSettings { switch_batch: 2, ..EngineSettings::default() };
    Setup { embedders: beside_hashing(letters), settings, ..Setup::default() }.start()
}

async fn learn(client: &Client, count: usize) -> Vec<String> {
    let mut memory_ids = Vec::new();
    for number in 0..count {
        let words = ["refund", "cancel", "ship", "invoice", "audit"];
        memory_ids.push(client.learned(&format!("{} order {number}", words[number % words.len()])).await);
    }
    memory_ids
}

async fn switch(client: &Client, embedder: &str) -> Value {
    client.patch("/settings", json!({"embedder": embedder})).await.ok()
}

async fn settings(client: &Client) -> Value {
    client.get("/settings").await.ok()
}

async fn finish(client: &Client) {
    client.engine.run_due_switches().await.unwrap();
}

/// Asks for everything, without regard to how similar it is.
async fn ask(client: &Client) -> Answer {
    let query = json!({"task": "Refund order 1", "limit": 1000, "similarity_threshold": -1, "mmr_lambda": 1});
    client.post("/memory/query", query).await.assert_status(200)
}

async fn found(client: &Client) -> Vec<String> {
    let mut ids = crate::client::ids(ask(client).await.json.as_array().unwrap());
    ids.sort();
    ids
}

async fn vectors(client: &Client, embedder: &str) -> usize {
    progress(client, embedder).await.done
}

async fn progress(client: &Client, embedder: &str) -> SwitchProgress {
    let project_id = client.project.parse().unwrap();
    client.engine.store().get_switch_progress(project_id, EmbedderId(embedder.into())).await.unwrap()
}

#[tokio::test]
async fn a_switch_shows_how_far_it_has_come_and_ends_with_the_new_embedder() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 5).await;
    let before = ask(&app).await.json;
    assert_answer!("switching_settings", &switch(&app, "letters").await);

    app.engine.step_switches().await.unwrap();
    let shown = settings(&app).await;
    assert_eq!((&shown["embedder"], &shown["embedder_switch"]["done"]), (&json!(HASHING), &json!(2)));
    assert_eq!(ask(&app).await.json, before, "queries go on comparing the old vectors");
    finish(&app).await;
    let shown = settings(&app).await;
    assert_eq!((&shown["embedder"], &shown["embedder_switch"]), (&json!(LETTERS), &Value::Null));
    let after = ask(&app).await;
    assert!(after.headers.get("x-reflect-partial-search").is_none());
    assert_ne!(after.json[0]["similarity"], before[0]["similarity"]);
    assert_eq!(found(&app).await, memory_ids);
    assert_eq!((vectors(&app, LETTERS).await, vectors(&app, HASHING).await), (5, 0));

    let app = app.restart();
    assert_eq!(settings(&app).await, shown);
    assert_eq!(found(&app).await, memory_ids);
}

#[tokio::test]
async fn an_unknown_embedder_is_refused_and_the_known_ones_are_named() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let before = settings(&app).await;
    let refused = app.patch("/settings", json!({"embedder": "gpt", "alpha": 0.1})).await.assert_invalid("embedder");
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "`embedder` is `gpt`, and this server has `builtin` (`hashing-v1-256`), `letters` (`letters-v1-27`)"
    );
    assert_eq!(settings(&app).await, before, "nothing else was changed either");
    app.holding(&["memory:read"])
        .await
        .patch("/settings", json!({"embedder": "letters"}))
        .await
        .assert_code("forbidden");
}

#[tokio::test]
async fn the_embedder_that_a_project_has_is_no_switch() {
    let app = app(&[]);
    learn(&app, 1).await;
    for embedder in [json!("builtin"), json!(HASHING), Value::Null] {
        let changed = app.patch("/settings", json!({"embedder": embedder})).await.ok();
        assert_eq!((&changed["embedder"], &changed["embedder_switch"]), (&json!(HASHING), &Value::Null));
    }
    assert_eq!(app.engine.run_due_switches().await.unwrap(), 0);
}

#[tokio::test]
async fn null_goes_back_to_the_servers_own() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    learn(&app, 2).await;
    switch(&app, LETTERS).await;
    finish(&app).await;
    let changed = app.patch("/settings", json!({"embedder": null})).await.ok();
    assert_eq!(changed["embedder_switch"]["to"], HASHING);
    finish(&app).await;
    assert_eq!(settings(&app).await["embedder"], HASHING);
}

#[tokio::test]
async fn what_is_learned_meanwhile_has_both_vectors() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    learn(&app, 2).await;
    switch(&app, "letters").await;
    let by_worker = app.learned("Ship order 7").await;
    let authored = json!({"result": "pass", "reflection": {"summary": "Ask first."}});
    app.create(reviewed_run("Audit order 8", authored.clone())).await;
    let trace_id = app.create(run("Audit order 9")).await;
    app.review(&trace_id, authored).await.ok();
    assert_eq!(progress(&app, LETTERS).await, SwitchProgress { done: 3, total: 5 });
    assert_eq!(vectors(&app, HASHING).await, 5);
    assert!(found(&app).await.contains(&by_worker));
    finish(&app).await;
    assert_eq!((vectors(&app, LETTERS).await, vectors(&app, HASHING).await), (5, 0));
    assert_eq!(found(&app).await.len(), 5);
}

#[tokio::test]
async fn a_kill_in_the_middle_resumes_where_it_was() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 5).await;
    switch(&app, "letters").await;
    app.engine.step_switches().await.unwrap();
    let app = app.restart();
    assert_eq!(settings(&app).await["embedder_switch"]["done"], 2);
    assert_eq!(found(&app).await, memory_ids);
    finish(&app).await;
    assert_eq!(letters.texts.load(Ordering::Relaxed), 2 * 5, "task and lesson, and nothing twice");
    assert_eq!(settings(&app).await["embedder"], LETTERS);
    assert_eq!(found(&app).await, memory_ids);
}

#[tokio::test]
async fn a_switch_that_is_dropped_in_the_middle_of_a_batch_loses_nothing() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 3).await;
    switch(&app, "letters").await;
    let (came, _go) = letters.hold();
    tokio::select! {
        _ = app.engine.step_switches() => panic!("it is held up"),
        () = came.notified() => {}
    }
    let app = app.restart();
    assert_eq!(settings(&app).await["embedder_switch"]["done"], 0);
    finish(&app).await;
    assert_eq!((settings(&app).await["embedder"].as_str(), found(&app).await), (Some(LETTERS), memory_ids));
}

#[tokio::test]
async fn what_is_deleted_meanwhile_does_not_come_back() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 4).await;
    switch(&app, "letters").await;
    app.engine.step_switches().await.unwrap();
    // One that was embedded anew, and one in the very batch that is being embedded.
    app.delete(&format!("/memories/{}", memory_ids[0])).await.assert_status(204);
    let (came, go) = letters.hold();
    let delete = async {
        came.notified().await;
        app.delete(&format!("/memories/{}", memory_ids[2])).await.assert_status(204);
        go.notify_one();
    };
    let (stepped, ()) = tokio::join!(app.engine.step_switches(), delete);
    stepped.unwrap();
    finish(&app).await;
    let left = [memory_ids[1].clone(), memory_ids[3].clone()];
    assert_eq!(found(&app).await, left);
    assert_eq!(progress(&app, LETTERS).await, SwitchProgress { done: 2, total: 2 });
}

#[tokio::test]
async fn switching_back_cancels_and_cleans_up() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 5).await;
    let before = ask(&app).await.json;
    switch(&app, "letters").await;
    app.engine.step_switches().await.unwrap();
    let back = switch(&app, "builtin").await;
    assert_eq!((&back["embedder"], &back["embedder_switch"]), (&json!(HASHING), &Value::Null));
    finish(&app).await;
    assert_eq!((vectors(&app, LETTERS).await, vectors(&app, HASHING).await), (0, 5));
    assert_eq!((ask(&app).await.json, found(&app).await), (before, memory_ids));
}

#[tokio::test]
async fn a_third_embedder_takes_over_from_the_second() {
    let (letters, others) = (Letters::new("letters"), Letters::new("others"));
    let app = app(&[&letters, &others]);
    let memory_ids = learn(&app, 5).await;
    switch(&app, "letters").await;
    app.engine.step_switches().await.unwrap();
    switch(&app, "others").await;
    finish(&app).await;
    assert_eq!(settings(&app).await["embedder"], "others-v1-27");
    assert_eq!((vectors(&app, LETTERS).await, vectors(&app, HASHING).await), (0, 0));
    assert_eq!((vectors(&app, "others-v1-27").await, found(&app).await), (5, memory_ids));
}

#[tokio::test]
async fn an_embedder_that_fails_is_named_and_tried_again_later() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 3).await;
    switch(&app, "letters").await;
    letters.fail();
    finish(&app).await;
    let shown = settings(&app).await;
    let problem = shown["embedder_switch"]["problem"].as_str().unwrap();
    assert!(problem.contains("the letters are jumbled"), "{problem}");
    assert_eq!(found(&app).await, memory_ids);
    app.learned("Ship order 7").await;
    letters.work();
    finish(&app).await;
    assert_eq!(settings(&app).await["embedder"], HASHING, "it waits a while");
    app.clock.turn_seconds(60);
    finish(&app).await;
    assert_eq!((settings(&app).await["embedder"].as_str(), found(&app).await.len()), (Some(LETTERS), 4));
}

#[tokio::test]
async fn a_memory_that_cannot_be_embedded_keeps_the_flip_and_not_the_others() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    learn(&app, 3).await;
    let jumbled = app.learned("jumble order 7").await;
    learn(&app, 3).await;
    switch(&app, "letters").await;
    let work = async |rounds: usize| {
        for _ in 0..rounds {
            finish(&app).await;
            app.clock.turn_seconds(60);
        }
    };
    work(10).await;
    let shown = settings(&app).await;
    let under_way = &shown["embedder_switch"];
    assert_eq!((&under_way["done"], &under_way["total"]), (&json!(6), &json!(7)));
    assert!(under_way["problem"].as_str().unwrap().contains("one of the texts is jumbled"), "{shown}");
    assert_eq!((shown["embedder"].as_str(), found(&app).await.len()), (Some(HASHING), 7));
    app.delete(&format!("/memories/{jumbled}")).await.assert_status(204);
    work(2).await;
    assert_eq!((settings(&app).await["embedder"].as_str(), found(&app).await.len()), (Some(LETTERS), 6));
}

#[tokio::test]
async fn a_project_whose_embedder_is_gone_is_searched_as_far_as_it_is_embedded_anew() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let memory_ids = learn(&app, 5).await;
    let app = app.restart_with(only(&letters));
    let query = json!({"task": "Refund order 1"});
    let refused = app.post("/memory/query", query).await.assert_code("unavailable");
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert!(message.contains(HASHING) && message.contains(LETTERS), "{message}");

    assert_eq!(app.engine.start_due_switches().await.unwrap(), 1);
    assert_eq!(app.engine.start_due_switches().await.unwrap(), 0);
    let answer = ask(&app).await;
    assert_eq!((answer.header("x-reflect-partial-search"), &answer.json), ("re-embedding 0 of 5", &json!([])));
    app.engine.step_switches().await.unwrap();
    let answer = ask(&app).await;
    assert_eq!(answer.header("x-reflect-partial-search"), "re-embedding 2 of 5");
    assert_eq!(found(&app).await, memory_ids[..2]);
    let late = app.learned("Ship order 7").await;
    assert!(found(&app).await.contains(&late), "a lesson is found at once all the same");
    finish(&app).await;
    assert!(ask(&app).await.headers.get("x-reflect-partial-search").is_none());
    assert_eq!(found(&app).await.len(), 6);
    app.patch("/settings", json!({"embedder": HASHING})).await.assert_invalid("embedder");
}

#[tokio::test]
async fn an_embedder_that_fails_is_stood_in_for_by_the_next() {
    let (letters, others) = (Letters::new("letters"), Letters::new("others"));
    let app = app(&[&letters, &others]);
    switch(&app, "letters").await;
    finish(&app).await;
    let memory_ids = learn(&app, 4).await;
    letters.fail();
    app.post("/memory/query", json!({"task": "Refund order 1"})).await.assert_code("unavailable");
    switch(&app, "others").await;
    app.engine.step_switches().await.unwrap();
    let late = app.learned("Ship order 7").await;
    assert_eq!(ask(&app).await.header("x-reflect-partial-search"), "re-embedding 3 of 5");
    letters.work();
    assert!(!found(&app).await.contains(&late), "it has no vector of the embedder that works again");
    // Going back gives it one.
    switch(&app, "letters").await;
    finish(&app).await;
    assert_eq!((found(&app).await.len(), vectors(&app, "others-v1-27").await), (memory_ids.len() + 1, 0));
}

#[tokio::test]
async fn projects_leave_a_retired_embedder_and_are_served_meanwhile() {
    let letters = Letters::new("letters");
    let app = app(&[]);
    let memory_ids = learn(&app, 3).await;
    let app = app.restart_with(only(&letters).with_retired(Arc::new(HashingEmbedder)));
    let fresh = app.project("fresh");
    learn(&fresh, 1).await;
    assert_eq!(found(&app).await, memory_ids);
    assert_eq!(app.engine.start_due_switches().await.unwrap(), 1);
    let answer = ask(&app).await;
    assert!(answer.headers.get("x-reflect-partial-search").is_none());
    finish(&app).await;
    assert_eq!((settings(&app).await["embedder"].as_str(), found(&app).await), (Some(LETTERS), memory_ids));
    assert_eq!(settings(&fresh).await["embedder"], LETTERS);
}

#[tokio::test]
async fn other_projects_are_not_touched() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    let other = app.project("other");
    learn(&app, 3).await;
    learn(&other, 3).await;
    let (before, shown) = (ask(&other).await.json, settings(&other).await);
    switch(&app, "letters").await;
    finish(&app).await;
    assert_eq!((ask(&other).await.json, settings(&other).await), (before, shown));
    assert_eq!((vectors(&other, HASHING).await, vectors(&other, LETTERS).await), (3, 0));
}

#[tokio::test]
async fn a_lesson_that_was_embedded_before_the_flip_is_embedded_again() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    switch(&app, "letters").await;
    finish(&app).await;
    let trace_id = app.create(reviewed_run("Ship order 7", json!({"result": "pass"}))).await;
    let (came, go) = letters.hold();
    let flip = async {
        came.notified().await;
        switch(&app, "builtin").await;
        finish(&app).await;
        assert_eq!(settings(&app).await["embedder"], HASHING);
        go.notify_one();
    };
    let (worked, ()) = tokio::join!(app.drain(), flip);
    assert_eq!((worked, &app.trace(&trace_id).await["review_status"]), (1, &json!("reviewed")));
    assert_eq!((vectors(&app, HASHING).await, vectors(&app, LETTERS).await), (1, 0));
    assert_eq!(found(&app).await.len(), 1);
}

#[tokio::test]
async fn a_query_that_began_before_the_flip_finds_everything() {
    let letters = Letters::new("letters");
    let app = app(&[&letters]);
    switch(&app, "letters").await;
    finish(&app).await;
    let memory_ids = learn(&app, 5).await;
    let (came, go) = letters.hold();
    let flip = async {
        came.notified().await;
        switch(&app, "builtin").await;
        finish(&app).await;
        go.notify_one();
    };
    let (found_then, ()) = tokio::join!(found(&app), flip);
    assert_eq!((found_then, found(&app).await), (memory_ids.clone(), memory_ids));
}

#[tokio::test]
async fn the_worker_works_switches_by_itself() {
    let letters = Letters::new("letters");
    let setup = Setup { embedders: beside_hashing(&[&letters]), ..Setup::default() };
    let (app, background) = setup.start_with_worker().await;
    app.create(reviewed_run("Ship order 7", json!({"result": "pass", "reflection": {"summary": "Ask."}}))).await;
    switch(&app, "letters").await;
    while settings(&app).await["embedder"] != LETTERS {
        tokio::task::yield_now().await;
    }
    assert_eq!(found(&app).await.len(), 1);
    background.stop().await;
}

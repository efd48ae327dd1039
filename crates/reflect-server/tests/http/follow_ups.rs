//! Follow-ups: when a model is asked again, how often, and by how many at a time.

use std::sync::Arc;

use reflect_engine::{Background, EngineSettings};
use reflect_llm::{ChatModel, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, text},
    fakes::{Weather, weathered_model},
    test_app::Setup,
};

async fn reviewed(app: &Client) -> Value {
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    app.trace(&trace_id).await
}

/// What a counter stands at.
async fn counted(app: &Client, row: &str) -> u64 {
    let metrics = text(&app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok());
    let line = metrics.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse().unwrap())
}

#[tokio::test]
async fn in_an_outage_follow_ups_stay_in_the_queue_and_one_tries_whether_it_is_over() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    *weather.lock().unwrap() = Weather::Down;
    for _ in 0..3 {
        reviewed(&app).await;
    }
    assert_eq!(model.requests().len(), 3);
    app.clock.turn_millis(14_900);
    assert_eq!(app.drain().await, 0, "they are due, and nobody takes them");

    app.clock.turn_seconds(1);
    assert_eq!(app.drain().await, 1);
    assert_eq!(model.requests().len(), 4, "one asks, and the others wait for its result");
    assert_eq!(counted(&app, "reflect_jobs_total{kind=\"follow_up\",outcome=\"retry\"}").await, 1);

    app.clock.turn_seconds(60);
    *weather.lock().unwrap() = Weather::Fine;
    assert_eq!(app.drain().await, 3);
    assert_eq!(counted(&app, "reflect_jobs_total{kind=\"follow_up\",outcome=\"done\"}").await, 3);
    assert_eq!(counted(&app, "reflect_jobs_total{kind=\"follow_up\",outcome=\"given_back\"}").await, 0);
    assert_eq!(counted(&app, "reflect_stand_ins_total{outcome=\"replaced\"}").await, 3);
}

#[tokio::test]
async fn a_follow_up_whose_project_has_another_model_by_now_is_given_back_while_that_one_is_out() {
    let (model, weather) = weathered_model();
    let other =
        Arc::new(ScriptedModel::new([ScriptedStep::text("no"), ScriptedStep::text("no")]).named("openai/other"));
    let mut setup = Setup::with_model(model);
    setup.models.listed.push(other);
    let app = setup.start();
    app.patch("/settings", json!({"reflector": "openai/other"})).await.ok();
    reviewed(&app).await;
    app.patch("/settings", json!({"reflector": null})).await.ok();
    *weather.lock().unwrap() = Weather::Down;
    for _ in 0..3 {
        reviewed(&app).await;
    }
    app.clock.turn_millis(14_900);
    assert_eq!(app.drain().await, 1, "the other one is not out");
    assert_eq!(counted(&app, "reflect_jobs_total{kind=\"follow_up\",outcome=\"given_back\"}").await, 1);
    assert_eq!(app.drain().await, 0);
}

#[tokio::test]
async fn a_model_that_talks_nonsense_is_asked_once_more_and_then_the_rules_lesson_stays() {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::text("I am a teapot.")).named("openai/tester"));
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    let trace = reviewed(&app).await;
    assert_eq!(model.requests().len(), 2, "the answer was sent back once");
    for _ in 0..20 {
        app.clock.turn_seconds(3_600);
        app.drain().await;
    }
    assert_eq!(model.requests().len(), 4);
    let memory = app.memory(&text(&trace["created_memory_id"])).await;
    assert_eq!((&memory["written_by"]["reflector"], &memory["revision"]), (&json!("builtin"), &json!(1)));
    assert_eq!(counted(&app, "reflect_stand_ins_total{outcome=\"kept\"}").await, 1);
    assert_eq!(counted(&app, "reflect_llm_fallbacks_total{role=\"reflector\",reason=\"unusable\"}").await, 1);
    assert_eq!(counted(&app, "reflect_llm_out{model=\"openai/tester\"}").await, 0, "nonsense is an answer");
}

#[tokio::test]
async fn a_lesson_that_comes_late_takes_one_of_the_places_of_follow_ups_or_is_given_up() {
    let (model, weather) = weathered_model();
    *weather.lock().unwrap() = Weather::Hanging;
    // Two lessons may wait for a model, and one follow-up may.
    let settings = EngineSettings { workers: 4, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::with_model(model) }.start();
    let review = json!({"result": "pass"});
    let first = app.create(reviewed_run("Refund order 7", review.clone())).await;
    let second = app.create(reviewed_run("Refund order 8", review)).await;
    // Leaves two seconds for the model.
    app.clock.turn_seconds(23);
    let _background = Background::start(Arc::clone(&app.engine)).await.unwrap();
    app.until_reviewed(&first).await;
    app.until_reviewed(&second).await;
    let cancelled = "reflect_llm_calls_total{model=\"openai/tester\",role=\"reflector\",outcome=\"cancelled\"}";
    assert_eq!(counted(&app, cancelled).await, 1, "the other one is still listened to");
    assert_eq!(counted(&app, "reflect_llm_fallbacks_total{role=\"reflector\",reason=\"deadline\"}").await, 2);
}

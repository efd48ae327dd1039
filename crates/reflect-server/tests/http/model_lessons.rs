//! Lessons by a model: written in time, stood in for when not, replaced when they come.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reflect_engine::EngineSettings;
use reflect_llm::{ChatModel, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, run, text},
    fakes::{Weather, lesson_step, weathered_model},
    test_app::{Setup, TestApp},
};

fn with_steps(steps: Vec<ScriptedStep>) -> (TestApp, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(steps).named("openai/tester"));
    (Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start(), model)
}

async fn reviewed(app: &Client) -> Value {
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    app.trace(&trace_id).await
}

async fn memory_of(app: &Client, trace: &Value) -> Value {
    app.memory(&text(&trace["created_memory_id"])).await
}

async fn metrics(app: &Client) -> String {
    app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_model_writes_the_lesson_and_the_memory_says_so() {
    let (app, model) = with_steps(vec![lesson_step("The refund went through.")]);
    let trace = reviewed(&app).await;
    assert_eq!((&trace["review_status"], &trace["ingest_status"]), (&json!("reviewed"), &json!("completed")));
    let memory = memory_of(&app, &trace).await;
    assert_eq!(memory["summary"], "The refund went through.");
    let written_by = &memory["written_by"];
    assert_eq!((&written_by["reflector"], &written_by["model"]), (&json!("llm"), &json!("openai/tester")));
    assert_eq!((&written_by["input_tokens"], &written_by["output_tokens"]), (&json!(1_000), &json!(100)));
    assert_eq!(written_by["stands_in_for"], Value::Null);
    assert!(written_by["millis"].is_u64() && written_by["version"].is_string(), "{written_by}");
    assert_eq!(model.requests().len(), 1);
    let listed = app.get("/memories").await.ok();
    assert_eq!(&listed[0]["written_by"], written_by);
    let shown = app.query(json!({"task": "Refund order 7"})).await;
    assert_eq!(shown[0]["summary"], "The refund went through.");
}

#[tokio::test]
async fn the_model_sees_the_run_its_review_and_the_lessons_it_was_shown() {
    let new = json!({"summary": "Two.", "guidance": "Ask for the receipt of every earlier payment.", "key_mistake": "Paid twice."});
    let (app, model) = with_steps(vec![lesson_step("One."), ScriptedStep::text(new.to_string())]);
    let first = reviewed(&app).await;
    let mut body = reviewed_run("Refund order 8", json!({"result": "fail", "feedback_text": "paid twice"}));
    body["retrieved_memory_ids"] = json!([first["created_memory_id"]]);
    body["reference_context"] = json!("Refunds are paid once.");
    app.create(body).await;
    app.drain().await;
    let request = model.requests().remove(1);
    let asked: String = request.messages.iter().map(|message| message.text.as_str()).collect();
    let asked = asked.replace("\\\"", "\"");
    for part in [
        "Refund order 8",
        "paid twice",
        "Refunds are paid once.",
        "look_up",
        "\"order\":\"Refund order 8\"",
        "found",
        "One.",
    ] {
        assert!(asked.contains(part), "the model was not told `{part}`:\n{asked}");
    }
}

#[tokio::test]
async fn the_model_sees_earlier_lessons_in_the_words_that_the_run_was_shown() {
    let new = json!({"summary": "Two.", "guidance": "Ask for the receipt of every earlier payment."});
    let (app, model) = with_steps(vec![lesson_step("Written first."), ScriptedStep::text(new.to_string())]);
    let memory_id = text(&reviewed(&app).await["created_memory_id"]);
    let shown = app.post("/memory/query", json!({"task": "Refund order 8"})).await;
    let retrieval_id = shown.header("x-retrieval-id").to_owned();
    app.patch(&format!("/memories/{memory_id}"), json!({"summary": "Rewritten since."})).await.ok();
    let mut body = reviewed_run("Refund order 8", json!({"result": "pass"}));
    body["retrieved_memory_ids"] = json!([memory_id]);
    body["retrieval_id"] = json!(retrieval_id);
    app.create(body).await;
    app.drain().await;
    let asked: String = model.requests()[1].messages.iter().map(|message| message.text.as_str()).collect();
    assert!(asked.contains("Written first.") && !asked.contains("Rewritten since."), "{asked}");
}

#[tokio::test]
async fn when_the_model_fails_rules_stand_in_at_once_and_are_replaced_when_it_answers() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(model).start();
    *weather.lock().unwrap() = Weather::Down;
    let trace = reviewed(&app).await;
    assert_eq!((&trace["review_status"], &trace["ingest_status"]), (&json!("reviewed"), &json!("completed")));
    let stand_in = memory_of(&app, &trace).await;
    let written_by = &stand_in["written_by"];
    assert_eq!((&written_by["reflector"], &written_by["stands_in_for"]), (&json!("builtin"), &json!("openai/tester")));
    assert!(!text(&stand_in["summary"]).is_empty());
    let warning =
        "rules wrote this lesson in place of `openai/tester`: the provider is not available: the provider is down";
    assert_eq!(trace["warnings"], json!([warning]));

    // A run that the stand-in was shown credits the memory, whoever wrote it.
    app.create({
        let mut body =
            reviewed_run("Refund order 9", json!({"result": "pass", "reflection": {"summary": "It works."}}));
        body["retrieved_memory_ids"] = json!([stand_in["id"]]);
        body
    })
    .await;
    *weather.lock().unwrap() = Weather::Fine;
    assert_eq!(app.drain().await, 0, "it is not asked again at once");
    app.clock.turn_seconds(15);
    assert_eq!(app.drain().await, 1);
    let replaced = memory_of(&app, &trace).await;
    assert_eq!((&replaced["summary"], &replaced["revision"]), (&json!("The model says so."), &json!(2)));
    assert_eq!((&replaced["id"], &replaced["uses"]), (&stand_in["id"], &json!(1)));
    assert_eq!(replaced["written_by"]["stands_in_for"], Value::Null);
    assert_eq!(replaced["q_value"], json!(0.65));
    assert_eq!(app.trace(&text(&trace["id"])).await["warnings"], json!([]), "the model has written it after all");
    assert_eq!(app.drain().await, 0);
    let metrics = metrics(&app).await;
    for line in [
        "reflect_llm_fallbacks_total{role=\"reflector\",reason=\"unavailable\"} 1",
        "reflect_stand_ins_total{outcome=\"stored\"} 1",
        "reflect_stand_ins_total{outcome=\"replaced\"} 1",
        "reflect_llm_calls_total{model=\"openai/tester\",role=\"reflector\",outcome=\"unavailable\"}",
        "reflect_jobs_total{kind=\"follow_up\",outcome=\"done\"} 1",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn follow_ups_end_after_so_many_tries_and_the_rules_lesson_stays() {
    let (model, weather) = weathered_model();
    let settings = EngineSettings { follow_up_attempts: 3, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::with_model(model) }.start();
    *weather.lock().unwrap() = Weather::Down;
    let trace = reviewed(&app).await;
    let stand_in = memory_of(&app, &trace).await;
    for _ in 0..20 {
        app.clock.turn_seconds(3_600);
        app.drain().await;
    }
    *weather.lock().unwrap() = Weather::Fine;
    app.clock.turn_seconds(86_400);
    assert_eq!(app.drain().await, 0);
    assert_eq!(memory_of(&app, &trace).await, stand_in);
    assert!(metrics(&app).await.contains("reflect_stand_ins_total{outcome=\"kept\"} 1"));
}

#[tokio::test]
async fn a_model_that_hangs_leaves_workers_to_projects_without_one() {
    let (model, weather) = weathered_model();
    let seconds = Duration::from_secs;
    let settings = EngineSettings {
        workers: 2,
        review_deadline: seconds(60),
        attempt_timeout: seconds(60),
        ..EngineSettings::default()
    };
    let setup = Setup { settings, ..Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>) };
    let (app, _background) = setup.start_with_worker().await;
    *weather.lock().unwrap() = Weather::Hanging;
    let hanging = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    while model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let crowded = app.create(reviewed_run("Refund order 8", json!({"result": "pass"}))).await;

    let other = app.project("without");
    other.patch("/settings", json!({"reflector": "builtin"})).await.ok();
    let trace_id = other.create(run("Refund order 9")).await;
    let reviewed = other.review(&trace_id, json!({"result": "pass"})).await.ok();
    assert_eq!(memory_of(&other, &reviewed).await["written_by"]["stands_in_for"], Value::Null);
    app.until_reviewed(&crowded).await;
    assert_eq!(app.trace(&hanging).await["review_status"], "pending");
    let stood_in = app.trace(&crowded).await;
    assert_eq!(memory_of(&app, &stood_in).await["written_by"]["stands_in_for"], "openai/tester");
}

#[tokio::test]
async fn a_model_that_hangs_is_left_waiting_while_the_sender_of_the_review_is_answered() {
    let (model, weather) = weathered_model();
    let settings = EngineSettings {
        review_deadline: Duration::from_secs(60),
        attempt_timeout: Duration::from_millis(500),
        ..EngineSettings::default()
    };
    let app = Setup { settings, ..Setup::with_model(model) }.start();
    *weather.lock().unwrap() = Weather::Hanging;
    let trace_id = app.create(run("Refund order 7")).await;
    let reviewed = app.review(&trace_id, json!({"result": "pass"})).await.ok();
    assert_eq!(reviewed["review_status"], "reviewed");
    let stand_in = memory_of(&app, &reviewed).await;
    assert_eq!(stand_in["written_by"]["stands_in_for"], "openai/tester");
}

#[tokio::test]
async fn a_model_has_what_the_queue_has_left_of_the_deadline() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    *weather.lock().unwrap() = Weather::Hanging;
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    // Of 30 seconds, 5 are kept for storing.
    app.clock.turn_seconds(23);
    let begun = Instant::now();
    tokio::select! {
        () = app.until_reviewed(&trace_id) => {}
        _ = app.drain() => {}
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "it had {:?}", begun.elapsed());
    let stand_in = memory_of(&app, &app.trace(&trace_id).await).await;
    assert_eq!(stand_in["written_by"]["stands_in_for"], "openai/tester");
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_lesson_that_comes_after_the_deadline_replaces_the_stand_in_it_was_late_for() {
    let slow = lesson_step("Late, and still good.").after(Duration::from_secs(3));
    let model = Arc::new(ScriptedModel::new([slow]).named("openai/tester"));
    let settings = EngineSettings { review_deadline: Duration::from_millis(300), ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>) }.start();
    let trace = reviewed(&app).await;
    let memory = memory_of(&app, &trace).await;
    assert_eq!((&memory["summary"], &memory["revision"]), (&json!("Late, and still good."), &json!(2)));
    assert_eq!(model.requests().len(), 1, "the call that was already paid for was listened to");
}

#[tokio::test]
async fn a_review_that_waited_too_long_in_the_queue_is_not_kept_waiting_for_a_model() {
    let (model, _) = weathered_model();
    let app = Setup::with_model(model).start();
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.clock.turn_seconds(40);
    let worked = app.drain().await;
    assert_eq!(worked, 2, "the stand-in, and at once the model's own");
    let memory = memory_of(&app, &app.trace(&trace_id).await).await;
    assert_eq!((&memory["revision"], &memory["summary"]), (&json!(2), &json!("The model says so.")));
}

#[tokio::test]
async fn during_an_outage_lessons_do_not_each_wait_for_the_same_dead_line() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    *weather.lock().unwrap() = Weather::Down;
    for _ in 0..10 {
        let trace = reviewed(&app).await;
        assert_eq!(trace["review_status"], "reviewed");
    }
    assert_eq!(model.requests().len(), 3, "after three failures it is left alone");
    let during = metrics(&app).await;
    assert!(during.contains("reflect_llm_fallbacks_total{role=\"reflector\",reason=\"outage\"} 7"), "{during}");
    assert!(during.contains("reflect_llm_out{model=\"openai/tester\"} 1"), "{during}");
    *weather.lock().unwrap() = Weather::Fine;
    for _ in 0..10 {
        app.clock.turn_seconds(60);
        app.drain().await;
    }
    let memories = app.get("/memories").await.ok();
    assert!(memories.as_array().unwrap().iter().all(|memory| memory["written_by"]["reflector"] == "llm"), "{memories}");
}

#[tokio::test]
async fn a_lesson_that_a_person_edited_is_not_overwritten() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(model).start();
    *weather.lock().unwrap() = Weather::Down;
    let trace = reviewed(&app).await;
    let memory_id = text(&trace["created_memory_id"]);
    let edited = app.patch(&format!("/memories/{memory_id}"), json!({"guidance": "Ask a person first."})).await.ok();
    *weather.lock().unwrap() = Weather::Fine;
    app.clock.turn_seconds(15);
    assert_eq!(app.drain().await, 0, "nobody is asked for a better one any more");
    assert_eq!(app.trace(&text(&trace["id"])).await["warnings"], json!([]));
    let after = memory_of(&app, &trace).await;
    assert_eq!((&after["guidance"], &after["revision"]), (&edited["guidance"], &edited["revision"]));
}

#[tokio::test]
async fn a_corrected_review_gets_its_own_lesson_and_the_old_follow_up_is_dropped() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(model).start();
    *weather.lock().unwrap() = Weather::Down;
    let trace = reviewed(&app).await;
    *weather.lock().unwrap() = Weather::Fine;
    let correction = json!({"result": "fail", "supersedes": true});
    let corrected = app.review(&text(&trace["id"]), correction).await.ok();
    let memory = memory_of(&app, &corrected).await;
    assert_eq!((&memory["id"], &memory["success"]), (&trace["created_memory_id"], &json!(false)));
    assert_eq!((&memory["revision"], &memory["written_by"]["reflector"]), (&json!(2), &json!("llm")));
    app.clock.turn_seconds(3_600);
    assert_eq!(app.drain().await, 0);
}

#[tokio::test]
async fn a_follow_up_outlives_a_restart() {
    let (model, weather) = weathered_model();
    let app = Setup::with_model(model).start();
    *weather.lock().unwrap() = Weather::Down;
    let trace = reviewed(&app).await;
    *weather.lock().unwrap() = Weather::Fine;
    let app = app.restart();
    app.clock.turn_seconds(15);
    assert_eq!(app.drain().await, 1);
    assert_eq!(memory_of(&app, &trace).await["written_by"]["reflector"], "llm");
}

#[tokio::test]
async fn a_review_that_brings_its_lesson_asks_no_model() {
    let (app, model) = with_steps(Vec::new());
    let review = json!({"result": "pass", "reflection": {"summary": "By hand."}});
    let trace_id = app.create(reviewed_run("Refund order 7", review)).await;
    let memory = memory_of(&app, &app.trace(&trace_id).await).await;
    assert_eq!(memory["written_by"]["reflector"], "author");
    assert!(model.requests().is_empty());
}

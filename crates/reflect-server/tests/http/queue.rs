//! Lessons that are written later: attempts, back-off, failure, backlog.

use std::{sync::Arc, time::Duration};

use reflect_core::Outcome;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    client::{Client, reviewed_run, run},
    fakes::{Script, Step},
    test_app::{Setup, TestApp},
};

async fn queued(client: &Client) -> String {
    client.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await
}

fn progress(trace: &Value) -> (&str, u64, &Value) {
    (trace["ingest_status"].as_str().unwrap(), trace["ingest_attempts"].as_u64().unwrap(), &trace["last_ingest_error"])
}

#[tokio::test]
async fn the_status_flips_together_with_the_memory() {
    let app = TestApp::new();
    let trace_id = queued(&app).await;
    let waiting = app.trace(&trace_id).await;
    assert_eq!(progress(&waiting), ("queued", 0, &Value::Null));
    assert_eq!(waiting["review_status"], "pending");
    assert_eq!(waiting["created_memory_id"], Value::Null);
    assert_eq!(waiting["review"]["result"], "pass", "the review itself counts at once");
    assert!(app.query(json!({"task": "Refund order 7"})).await.is_empty());

    assert_eq!(app.drain().await, 1);
    let done = app.trace(&trace_id).await;
    assert_eq!(progress(&done), ("completed", 1, &Value::Null));
    assert_eq!(done["review_status"], "reviewed");
    let shown = app.query_ids(json!({"task": "Refund order 7"})).await;
    assert_eq!(json!(shown), json!([done["created_memory_id"]]));
}

#[tokio::test]
async fn a_trace_stays_pending_while_its_lesson_is_written() {
    let written = Arc::new(Notify::new());
    let app = TestApp::with_reflector(Script::new([Step::WaitFor(Arc::clone(&written))]));
    let trace_id = queued(&app).await;
    let watch = async {
        let mut trace = app.trace(&trace_id).await;
        while trace["ingest_status"] == "queued" {
            tokio::task::yield_now().await;
            trace = app.trace(&trace_id).await;
        }
        written.notify_one();
        trace
    };
    let (worked, during) = tokio::join!(app.drain(), watch);
    assert_eq!(worked, 1);
    assert_eq!(progress(&during), ("processing", 1, &Value::Null));
    assert_eq!(during["review_status"], "pending");
    assert_eq!(during["created_memory_id"], Value::Null);
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn a_temporary_failure_is_tried_again_after_a_pause() {
    let app = TestApp::with_reflector(Script::new([Step::Temporary("busy"), Step::Temporary("still busy")]));
    let trace_id = queued(&app).await;
    assert_eq!(app.drain().await, 1);
    assert_eq!(progress(&app.trace(&trace_id).await), ("queued", 1, &json!("busy")));

    // The first pause is drawn from the upper half of one second, the next from that of two.
    app.clock.turn_millis(490);
    assert_eq!(app.drain().await, 0);
    app.clock.turn_millis(520);
    assert_eq!(app.drain().await, 1);
    assert_eq!(progress(&app.trace(&trace_id).await), ("queued", 2, &json!("still busy")));
    app.clock.turn_millis(990);
    assert_eq!(app.drain().await, 0);
    app.clock.turn_millis(1_020);
    assert_eq!(app.drain().await, 1);
    let trace = app.trace(&trace_id).await;
    assert_eq!(progress(&trace), ("completed", 3, &Value::Null));
    assert_eq!(trace["review_status"], "reviewed");
}

#[tokio::test]
async fn attempts_run_out_and_the_trace_says_why() {
    let app = TestApp::with_reflector(Script::new((0..5).map(|_| Step::Temporary("the model is down"))));
    let trace_id = queued(&app).await;
    for _ in 0..4 {
        assert_eq!(app.drain().await, 1);
        assert_eq!(app.trace(&trace_id).await["ingest_status"], "queued");
        app.clock.turn_seconds(60);
    }
    assert_eq!(app.drain().await, 1);
    let failed = app.trace(&trace_id).await;
    assert_eq!(progress(&failed), ("failed", 5, &json!("the model is down")));
    assert_eq!(failed["review_status"], "pending");
    app.clock.turn_seconds(3_600);
    assert_eq!(app.drain().await, 0);
}

#[tokio::test]
async fn a_permanent_failure_is_not_tried_again() {
    let app = TestApp::with_reflector(Script::new([Step::Permanent("the run is too long")]));
    let trace_id = queued(&app).await;
    app.drain().await;
    let failed = app.trace(&trace_id).await;
    assert_eq!(progress(&failed), ("failed", 1, &json!("the run is too long")));
}

#[tokio::test]
async fn a_failed_trace_keeps_its_review_and_its_credits() {
    let app = TestApp::with_reflector(Script::new([Step::Permanent("no")]));
    let authored = json!({"result": "pass", "reflection": {"summary": "It works."}});
    app.create(reviewed_run("Refund an order", authored)).await;
    let memory_id = app.query_ids(json!({"task": "Refund an order"})).await.remove(0);
    let trace = app.shown_trace(&[&memory_id], Outcome::Pass).await;
    assert_eq!(trace["ingest_status"], "failed");
    assert_eq!(trace["review"]["result"], "pass");
    assert_eq!(app.utility(&memory_id).await, 0.65);
}

#[tokio::test]
async fn a_panic_fails_its_trace_and_nothing_else() {
    let app = TestApp::with_reflector(Script::new([Step::Panic]));
    let first = queued(&app).await;
    let second = queued(&app).await;
    assert_eq!(app.drain().await, 2);
    let traces = [app.trace(&first).await, app.trace(&second).await];
    let failed = traces.iter().find(|trace| trace["ingest_status"] == "failed").unwrap();
    assert_eq!(failed["last_ingest_error"], "the reflector panicked");
    assert!(traces.iter().any(|trace| trace["review_status"] == "reviewed"));
}

#[tokio::test(start_paused = true)]
async fn a_reflector_that_hangs_is_given_up_on_and_asked_again() {
    let app = TestApp::with_reflector(Script::new([Step::Hang]));
    let trace_id = queued(&app).await;
    let started = tokio::time::Instant::now();
    assert_eq!(app.drain().await, 1);
    assert!(started.elapsed() >= Duration::from_secs(60));
    let trace = app.trace(&trace_id).await;
    assert_eq!(progress(&trace), ("queued", 1, &json!("the reflector took too long")));
    app.clock.turn_seconds(60);
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn a_failed_trace_can_be_retried_from_its_first_attempt() {
    let app = TestApp::with_reflector(Script::new([Step::Permanent("no"), Step::Temporary("busy")]));
    let trace_id = queued(&app).await;
    app.drain().await;
    let retried = app.post(&format!("/traces/{trace_id}/retry"), json!({})).await.ok();
    assert_eq!((&retried["ingest_status"], &retried["ingest_attempts"]), (&json!("queued"), &json!(0)));
    app.drain().await;
    assert_eq!(progress(&app.trace(&trace_id).await), ("queued", 1, &json!("busy")));
    app.clock.turn_seconds(1);
    app.drain().await;
    let trace = app.trace(&trace_id).await;
    assert_eq!(progress(&trace), ("completed", 2, &Value::Null));
}

#[tokio::test]
async fn a_failed_trace_can_be_corrected() {
    let app = TestApp::with_reflector(Script::new([Step::Permanent("no")]));
    let trace_id = queued(&app).await;
    app.drain().await;
    let corrected = app.review(&trace_id, json!({"result": "fail", "supersedes": true})).await.ok();
    assert_eq!(progress(&corrected), ("completed", 1, &Value::Null));
    assert_eq!(corrected["review"]["result"], "fail");
}

#[tokio::test]
async fn a_job_whose_worker_died_falls_due_with_its_lease() {
    let script = Script::new([Step::Hang]);
    let app = TestApp::with_reflector(Arc::clone(&script) as _);
    let trace_id = queued(&app).await;
    tokio::select! {
        _ = app.drain() => panic!("the reflector hangs"),
        () = script.last_step() => {}
    }
    assert_eq!(app.drain().await, 0, "its lease still stands");
    app.clock.turn_seconds(91);
    assert_eq!(app.drain().await, 1);
    let trace = app.trace(&trace_id).await;
    assert_eq!(progress(&trace), ("completed", 2, &Value::Null));
}

#[tokio::test]
async fn queued_lessons_are_written_after_a_restart() {
    let app = TestApp::new();
    let trace_id = queued(&app).await;
    let app = app.restart();
    assert_eq!(app.drain().await, 1);
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn a_backlog_turns_reviewed_traces_away_and_nothing_else() {
    let app = TestApp::new();
    let pending = app.create(run("Refund order 6")).await;
    queued(&app).await;
    app.clock.turn_seconds(75);
    app.engine.measure_backlog().await.unwrap();

    let reviewed = reviewed_run("Refund order 7", json!({"result": "pass"}));
    let refused = app.post("/traces", reviewed).await.assert_code("backlogged");
    assert_eq!(refused.header("retry-after"), "15");
    app.create(run("Refund order 8")).await;
    let authored = json!({"result": "pass", "reflection": {"summary": "It works."}});
    app.create(reviewed_run("Refund order 9", authored)).await;
    app.review(&pending, json!({"result": "pass"})).await.ok();

    app.drain().await;
    app.engine.measure_backlog().await.unwrap();
    queued(&app).await;
}

#[tokio::test]
async fn a_short_backlog_turns_nobody_away() {
    let app = TestApp::new();
    queued(&app).await;
    app.clock.turn_seconds(59);
    app.engine.measure_backlog().await.unwrap();
    queued(&app).await;
}

#[tokio::test]
async fn a_worker_writes_what_a_reviewer_waits_for() {
    let (app, background) = Setup::default().start_with_worker().await;
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let trace = app.post(&path, json!({"result": "pass"})).await.ok();
    assert_eq!(trace["review_status"], "reviewed");
    background.stop().await;
    assert!(!background.is_running());
}

#[tokio::test(start_paused = true)]
async fn a_reviewer_is_not_kept_waiting_past_the_deadline() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let answer = app.post(&path, json!({"result": "pass"})).await.assert_status(202);
    assert_eq!(progress(&answer.json), ("queued", 0, &Value::Null));
    assert_eq!(answer.json["review"]["result"], "pass");
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn a_reviewer_who_hangs_up_cancels_nothing() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let accepted = async {
        while app.trace(&trace_id).await["review"].is_null() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = app.post(&path, json!({"result": "pass"})) => panic!("nobody writes the lesson yet"),
        () = accepted => {}
    }
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn a_reviewer_learns_that_the_review_was_taken_back() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let take_back = async {
        while app.trace(&trace_id).await["review"].is_null() {
            tokio::task::yield_now().await;
        }
        app.take_back(&trace_id).await.ok();
    };
    let (answer, ()) = tokio::join!(app.post(&path, json!({"result": "pass"})), take_back);
    let trace = answer.ok();
    assert_eq!(trace["review"], Value::Null);
    assert_eq!(trace["review_status"], "pending");
}

#[tokio::test]
async fn a_reviewer_learns_that_the_trace_was_deleted() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let delete = async {
        while app.trace(&trace_id).await["review"].is_null() {
            tokio::task::yield_now().await;
        }
        app.post("/traces/delete", json!({"trace_ids": [trace_id]})).await.ok();
    };
    let (answer, ()) = tokio::join!(app.post(&path, json!({"result": "pass"})), delete);
    answer.assert_code("not_found");
}

#[tokio::test]
async fn a_reviewer_learns_that_the_project_was_deleted_and_others_wait_on() {
    let app = TestApp::new();
    let gone = app.project("gone");
    let trace_id = app.create(run("Refund order 7")).await;
    let trace_id_of_gone = gone.create(run("Refund order 7")).await;
    let path = format!("/traces/{trace_id}/review");
    let path_of_gone = format!("/traces/{trace_id_of_gone}/review");
    let delete = async {
        while app.trace(&trace_id).await["review"].is_null() || gone.trace(&trace_id_of_gone).await["review"].is_null()
        {
            tokio::task::yield_now().await;
        }
        gone.delete("").await.ok();
    };
    let delete_then_work = async {
        let (refused, ()) = tokio::join!(gone.post(&path_of_gone, json!({"result": "pass"})), delete);
        app.drain().await;
        refused
    };
    let (answer, refused) = tokio::join!(app.post(&path, json!({"result": "pass"})), delete_then_work);
    refused.assert_code("not_found");
    assert_eq!(answer.ok()["review_status"], "reviewed");
}

#[tokio::test]
async fn a_correction_whose_lesson_fails_keeps_the_old_one() {
    let app = TestApp::with_reflector(Script::new([Step::Permanent("no")]));
    let authored = json!({"result": "pass", "reflection": {"summary": "It works."}});
    let trace_id = app.create(reviewed_run("Refund an order", authored)).await;
    let correction = json!({"result": "fail", "supersedes": true});
    let failed = app.review(&trace_id, correction).await.ok();
    assert_eq!(progress(&failed), ("failed", 1, &json!("no")));
    let memory_id = failed["created_memory_id"].as_str().unwrap();
    let memory = app.memory(memory_id).await;
    assert_eq!((&memory["summary"], &memory["revision"]), (&json!("It works."), &json!(1)));

    app.post(&format!("/traces/{trace_id}/retry"), json!({})).await.ok();
    app.drain().await;
    let memory = app.memory(memory_id).await;
    assert_eq!((&memory["success"], &memory["revision"]), (&json!(false), &json!(2)));
}

#[tokio::test]
async fn a_reviewer_learns_of_a_failure() {
    let settings = EngineSettings { max_attempts: 1, ..EngineSettings::default() };
    let setup = Setup { settings, reflector: Script::new([Step::Temporary("busy")]), ..Setup::default() };
    let app = setup.start();
    let trace_id = app.create(run("Refund order 7")).await;
    let trace = app.review(&trace_id, json!({"result": "pass"})).await.ok();
    assert_eq!(progress(&trace), ("failed", 1, &json!("busy")));
}

#[tokio::test]
async fn a_clock_that_is_set_back_a_day_leaves_no_lesson_waiting() {
    const DAY: i64 = 86_400;
    let script = Script::new([Step::Temporary("busy"), Step::Temporary("busy")]);
    let (app, background) = Setup { reflector: script, ..Setup::default() }.start_with_worker().await;
    app.clock.turn_seconds(DAY);
    let failed_once = queued(&app).await;
    while app.trace(&failed_once).await["last_ingest_error"].is_null() {
        tokio::task::yield_now().await;
    }
    app.clock.turn_seconds(-DAY);
    let done = async |trace_id: &str| {
        while app.trace(trace_id).await["review_status"] != "reviewed" {
            // The second attempt fails, too, and is put off by a second of the clock that only turns here.
            app.clock.turn_millis(1_000);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), done(&failed_once)).await.unwrap();
    background.stop().await;
}

#[tokio::test]
async fn a_restart_makes_due_what_was_queued_by_a_clock_that_was_ahead() {
    let app = TestApp::new();
    app.clock.turn_seconds(86_400);
    let trace_id = queued(&app).await;
    app.clock.turn_seconds(-86_400);
    let app = app.restart();
    assert_eq!(app.drain().await, 0);
    let background = reflect_engine::Background::start(Arc::clone(&app.engine)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), app.until_reviewed(&trace_id)).await.unwrap();
    background.stop().await;
}

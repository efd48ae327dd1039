//! The report on whether memories help.

use std::sync::Arc;

use reflect_llm::{ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    client::{Client, reviewed_run, run},
    test_app::{Setup, TestApp},
};

async fn holding_out(share: f64) -> TestApp {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    app.patch("/settings", json!({"holdout": share})).await.ok();
    app
}

async fn ask(client: &Client, task: &str) -> Answer {
    client.post("/memory/query", json!({"task": task})).await
}

/// A run that names its query and passes as often as its arm does: with memories always, without them every third time.
async fn run_task(app: &TestApp, number: u32) -> bool {
    let task = format!("Refund order {number}");
    let answer = ask(app, &task).await;
    let held_out = answer.headers.contains_key("x-reflect-held-out");
    let passed = !held_out || number.is_multiple_of(3);
    let mut body = reviewed_run(&task, json!({"result": if passed { "pass" } else { "fail" }}));
    body["retrieval_id"] = json!(answer.header("x-retrieval-id"));
    app.create(body).await;
    held_out
}

async fn report(client: &Client, parameters: &str) -> Value {
    client.get(&format!("/lift{parameters}")).await.ok()
}

/// A task for that arm that nobody has asked about yet.
async fn drawn(app: &TestApp, held_out: bool) -> (String, String) {
    for number in 1_000..1_100 {
        let task = format!("Refund order {number}");
        let answer = ask(app, &task).await;
        if answer.headers.contains_key("x-reflect-held-out") == held_out {
            return (task, answer.header("x-retrieval-id").to_owned());
        }
    }
    panic!("no task of a hundred was drawn for this arm")
}

#[tokio::test]
async fn a_project_that_holds_nothing_out_is_told_how() {
    let app = TestApp::new();
    let found = report(&app, "").await;
    assert!(found["sentence"].as_str().unwrap().contains("set `holdout`"), "{found}");
    assert_eq!((&found["share"], &found["since"], &found["holdout"]), (&json!(null), &json!(null), &json!(0.0)));
    app.patch("/settings", json!({"holdout": 0.1})).await.ok();
    let sentence = report(&app, "").await["sentence"].clone();
    assert!(sentence.as_str().unwrap().contains("10 % of the tasks do without memories"), "{sentence}");
}

#[tokio::test]
async fn a_large_difference_is_found() {
    let app = holding_out(0.5).await;
    let mut held_out = 0_u64;
    for number in 0..90 {
        held_out += u64::from(run_task(&app, number).await);
    }
    let found = report(&app, "").await;
    assert_eq!((&found["verdict"], &found["reviews_depend_on_arm"]), (&json!("helps"), &json!(false)));
    assert_eq!(
        (&found["without_memories"]["tasks"], &found["without_memories"]["reviewed"]),
        (&json!(held_out), &json!(held_out))
    );
    let with = &found["with_memories"];
    assert_eq!(
        (&with["tasks"], &with["passed"], &with["pass_rate"]),
        (&json!(90 - held_out), &json!(90 - held_out), &json!(1.0))
    );
    let difference = &found["difference"];
    let figure = |name: &str| difference[name].as_f64().unwrap();
    assert!(
        0.3 < figure("low") && figure("low") < figure("points") && figure("points") < figure("high"),
        "{difference}"
    );
    assert!(found["evidence"].as_f64().unwrap() >= 20.0);
    assert!(found["sentence"].as_str().unwrap().starts_with("Memories help. 100 % of"), "{found}");
    assert_eq!((&found["share"], &found["more_runs"]), (&json!(0.5), &json!(null)));
}

#[tokio::test]
async fn retries_and_tasks_without_runs_or_reviews_are_told_apart() {
    let app = holding_out(0.5).await;
    let (task, retrieval_id) = drawn(&app, true).await;
    let before = report(&app, "").await;
    let unrecorded = before["without_memories"]["unrecorded"].as_u64().unwrap();
    assert_eq!((unrecorded, &before["without_memories"]["tasks"]), (1, &json!(1)));
    let mut first = run(&task);
    first["retrieval_id"] = json!(retrieval_id);
    let trace_id = app.create(first.clone()).await;
    let found = report(&app, "").await["without_memories"].clone();
    assert_eq!((&found["unrecorded"], &found["unreviewed"], &found["reviewed"]), (&json!(0), &json!(1), &json!(0)));
    // A retry is the same draw, and its first run has been there.
    ask(&app, &task).await;
    app.create(reviewed_run(&task, json!({"result": "pass"}))).await;
    app.review(&trace_id, json!({"result": "fail"})).await.ok();
    let found = report(&app, "").await["without_memories"].clone();
    assert_eq!((&found["tasks"], &found["reviewed"], &found["passed"]), (&json!(1), &json!(1), &json!(0)));
    // A correction counts, and so does taking the review back.
    app.review(&trace_id, json!({"result": "pass", "supersedes": true})).await.ok();
    assert_eq!(report(&app, "").await["without_memories"]["passed"], 1);
    app.take_back(&trace_id).await.ok();
    assert_eq!(report(&app, "").await["without_memories"]["reviewed"], 0);
}

#[tokio::test]
async fn runs_that_named_no_query_and_judged_ones_can_be_left_out() {
    let verdict = json!({"verdict": "pass", "explanation": "The order was looked up."}).to_string();
    let model = ScriptedModel::new(vec![ScriptedStep::text(verdict); 2]).named("openai/judge");
    let app = Setup::with_judge(Arc::new(model)).start();
    app.learned("Refund an order").await;
    app.patch("/settings", json!({"holdout": 0.5})).await.ok();
    for held_out in [true, false] {
        let (task, _) = drawn(&app, held_out).await;
        app.create(run(&task)).await;
    }
    app.clock.turn_seconds(3_600);
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 2);
    for (parameters, reviewed) in
        [("", 1), ("?judged=true&unnamed=true", 1), ("?judged=false", 0), ("?unnamed=false", 0)]
    {
        let found = report(&app, parameters).await;
        for arm in [&found["with_memories"], &found["without_memories"]] {
            let counts = [&arm["reviewed"], &arm["judged"], &arm["unnamed"], &arm["unreviewed"]];
            assert_eq!(counts, [&json!(reviewed), &json!(1), &json!(1), &json!(0)], "{parameters}: {arm}");
        }
    }
    app.get("/lift?judged=perhaps").await.assert_code("invalid_request");
}

#[tokio::test]
async fn a_change_of_the_share_begins_anew_and_the_end_keeps_the_last_report() {
    let app = holding_out(0.5).await;
    for number in 0..20 {
        run_task(&app, number).await;
    }
    app.patch("/settings", json!({"holdout": 0.25})).await.ok();
    let tasks = |found: &Value| {
        found["with_memories"]["tasks"].as_u64().unwrap() + found["without_memories"]["tasks"].as_u64().unwrap()
    };
    assert_eq!(tasks(&report(&app, "").await), 20, "nothing was drawn with the new share yet");
    for number in 20..28 {
        run_task(&app, number).await;
    }
    app.patch("/settings", json!({"holdout": 0})).await.ok();
    run_task(&app, 100).await;
    let found = report(&app, "").await;
    assert_eq!((tasks(&found), &found["share"], &found["holdout"]), (8, &json!(0.25), &json!(0.0)));
}

#[tokio::test]
async fn who_may_read_traces_may_read_the_report() {
    let app = holding_out(0.5).await;
    run_task(&app, 1).await;
    let reader = app.holding(&["trace:read"]).await;
    assert_eq!(report(&reader, "").await, report(&app, "").await);
    reader.project("other").get("/lift").await.assert_code("forbidden");
    app.holding(&["memory:read"]).await.get("/lift").await.assert_code("forbidden");
    assert_eq!(report(&app.project("other"), "").await["share"], json!(null));
}

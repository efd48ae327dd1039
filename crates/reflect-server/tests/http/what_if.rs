//! Tasks that are answered with a configuration that was drawn at random, and what another would have done.

use reflect_core::worth::LearningRule;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    client::{Client, reviewed_run, text},
    test_app::{Setup, TestApp},
};

/// A server with one memory that learns by a constant step, so that the memory stays what it is.
async fn with_a_memory() -> TestApp {
    let settings = EngineSettings { learning: LearningRule::Constant, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    app.learned("Refund an order").await;
    app
}

/// Answers a share of tasks nothing, by a floor that no memory reaches.
fn strict() -> Value {
    json!({"similarity_threshold": 1.0})
}

async fn mix(client: &Client, share: f64) {
    client.patch("/settings", json!({"mixture": {"share": share, "configurations": [strict()]}})).await.ok();
}

async fn ask(client: &Client, number: u32) -> Answer {
    let query = json!({"task": format!("Refund order {number}"), "similarity_threshold": -1.0});
    client.post("/memory/query", query).await.assert_status(200)
}

/// A reviewed run after its query. Without the memory a run scores 0.25, and with it one in four fails. Says whether it saw the memory.
async fn ran(client: &Client, number: u32) -> bool {
    let answer = ask(client, number).await;
    let saw = !answer.json.as_array().unwrap().is_empty();
    let review = match (saw, number % 4) {
        (false, _) => json!({"result": "fail", "score": 0.25}),
        (true, 0) => json!({"result": "fail"}),
        (true, _) => json!({"result": "pass"}),
    };
    let mut body = reviewed_run(&format!("Refund order {number}"), review);
    body["retrieval_id"] = json!(answer.header("x-retrieval-id"));
    client.create(body).await;
    saw
}

async fn evaluate(client: &Client, configuration: Value) -> Value {
    client.post("/policies/evaluate", json!({"configuration": configuration})).await.ok()
}

fn refusal(answer: &Value) -> &str {
    assert_eq!(answer["target"]["estimate"], json!(null), "{answer}");
    answer["target"]["refusal"].as_str().unwrap()
}

/// The first so many runs of a task each, all reviewed. Counts those that saw the memory.
async fn run_many(client: &Client, numbers: std::ops::Range<u32>) -> u32 {
    let mut saw = 0;
    for number in numbers {
        saw += u32::from(ran(client, number).await);
    }
    saw
}

#[tokio::test]
async fn a_configuration_that_was_mixed_is_valued_with_its_interval() {
    let app = with_a_memory().await;
    mix(&app, 0.5).await;
    let saw = run_many(&app, 0..260).await;
    let found = evaluate(&app, strict()).await;
    let (target, usual) = (&found["target"]["estimate"], &found["as_asked"]["estimate"]);
    let figure = |estimate: &Value, name: &str| estimate[name].as_f64().unwrap();
    assert!((figure(target, "value") - 0.25).abs() < 1e-9, "{found}");
    assert!(figure(target, "low") < 0.25 && 0.25 < figure(target, "high"), "{found}");
    assert!(figure(usual, "low") < 0.75 && 0.75 < figure(usual, "high"), "{found}");
    assert_eq!((&target["matching_runs"], &usual["matching_runs"]), (&json!(260 - saw), &json!(saw)));
    assert_eq!((&found["runs"], &found["target"]["refusal"]), (&json!(260), &json!(null)));
    let mixed = json!([
        {"configuration": {}, "probability": 0.5},
        {"configuration": strict(), "probability": 0.5},
    ]);
    assert_eq!(found["mixed"], mixed);
    let difference = &found["difference"];
    assert!(figure(difference, "high") < -0.3 && figure(difference, "low") > -0.7, "{difference}");
    let sentence = found["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("With a threshold of 1, runs would have scored 0.25 on average"), "{sentence}");
    // It comes to what was asked: the memories that were shown are the same.
    assert_eq!(&evaluate(&app, json!({"limit": 10})).await["target"]["estimate"], usual);

    // Another configuration was not mixed, and nobody guesses.
    let other = evaluate(&app, json!({"lambda": 0.9})).await;
    assert!(refusal(&other).starts_with("only 0 % of the runs could have been shown"), "{other}");
    assert_eq!((&other["as_asked"], &other["difference"]), (&found["as_asked"], &json!(null)));
    let later = json!({"configuration": strict(), "since": "2100-01-01T00:00:00Z"});
    let later = app.post("/policies/evaluate", later).await.ok();
    assert_eq!((&later["runs"], &later["since"]), (&json!(0), &json!(null)));
}

#[tokio::test]
async fn what_the_log_cannot_tell_is_refused_with_the_reason() {
    let app = with_a_memory().await;
    assert!(refusal(&evaluate(&app, strict()).await).starts_with("no reviewed run was answered by a mixture"));
    mix(&app, 0.5).await;
    ask(&app, 1_000).await;
    let found = evaluate(&app, strict()).await;
    assert!(refusal(&found).starts_with("no reviewed run") && found["since"] != json!(null), "{found}");
    run_many(&app, 0..60).await;
    let found = evaluate(&app, strict()).await;
    assert!(refusal(&found).contains("reviewed runs were shown what this configuration shows, and 50 are needed"));
    run_many(&app, 60..150).await;
    let found = evaluate(&app, strict()).await;
    assert!(refusal(&found).contains("equal ones, and 100 are needed"), "{found}");
    assert!(
        found["sentence"].as_str().unwrap().starts_with("The log cannot tell what a threshold of 1 would have done")
    );

    app.patch("/settings", json!({"learning": "worth"})).await.ok();
    ran(&app, 200).await;
    let found = evaluate(&app, strict()).await;
    assert!(refusal(&found).starts_with("the learning rule changed inside the period"), "{found}");
    // Another mixture begins a new measurement.
    mix(&app, 0.25).await;
    run_many(&app, 201..204).await;
    assert_eq!(evaluate(&app, strict()).await["runs"], 3);
}

#[tokio::test]
async fn a_task_is_drawn_once_a_day_and_the_log_says_what_was_drawn() {
    let app = with_a_memory().await;
    mix(&app, 0.5).await;
    let mut drawn = [0, 0];
    for number in 0..40 {
        let answer = ask(&app, number).await;
        let saw = answer.json.as_array().unwrap().len();
        assert_eq!(ask(&app, number).await.json.as_array().unwrap().len(), saw, "retries stay together");
        let logged = app.get(&format!("/retrievals/{}", answer.header("x-retrieval-id"))).await.ok();
        let configuration = if saw == 0 { strict() } else { json!({}) };
        assert_eq!(logged["mixed"], json!({"configuration": configuration, "probability": 0.5}));
        assert_eq!(logged["similarity_threshold"], if saw == 0 { json!(1.0) } else { json!(-1.0) });
        drawn[saw] += 1;
    }
    assert!(drawn.iter().all(|count| *count >= 8), "{drawn:?}");
    // Who only looks is answered as asked.
    for number in 0..10 {
        let query = json!({"task": format!("Refund order {number}"), "similarity_threshold": -1.0, "explain": true});
        assert_eq!(app.query(query).await.len(), 1);
    }
    app.patch("/settings", json!({"mixture": {"share": 0}})).await.ok();
    let answer = ask(&app, 1).await;
    let logged = app.get(&format!("/retrievals/{}", answer.header("x-retrieval-id"))).await.ok();
    assert_eq!((logged.get("mixed"), answer.json.as_array().unwrap().len()), (None, 1));
}

#[tokio::test]
async fn configurations_that_show_the_same_share_their_runs() {
    let app = with_a_memory().await;
    // One memory: whatever the weight and the limit, the answer is the same.
    let configurations = json!([{"lambda": 0.9}, {"limit": 1}]);
    app.patch("/settings", json!({"mixture": {"share": 0.5, "configurations": configurations}})).await.ok();
    run_many(&app, 0..120).await;
    for configuration in [json!({}), json!({"lambda": 0.9}), json!({"limit": 1})] {
        let found = evaluate(&app, configuration).await;
        assert_eq!(found["target"]["estimate"]["matching_runs"], 120, "{found}");
        assert_eq!(found["target"], found["as_asked"]);
    }
}

#[tokio::test]
async fn the_mixture_is_the_projects_else_the_servers_and_is_checked() {
    let app = with_a_memory().await;
    let wrong = [
        (json!({"share": 1.5, "configurations": [strict()]}), "mixture.share"),
        (json!({"share": 0.5, "configurations": vec![strict(); 9]}), "mixture.configurations"),
        (json!({"share": 0.5, "configurations": [{"limit": 0}]}), "mixture.configurations[0].limit"),
    ];
    for (mixture, field) in wrong {
        app.patch("/settings", json!({"mixture": mixture})).await.assert_invalid(field);
    }
    let request = json!({"configuration": {"lambda": 1.5}});
    app.post("/policies/evaluate", request).await.assert_invalid("configuration.lambda");
    mix(&app, 0.5).await;
    let settings = app.get("/settings").await.ok();
    assert_eq!(settings["mixture"], json!({"share": 0.5, "configurations": [strict()]}));
    let following: Value = app.patch("/settings", json!({"mixture": null})).await.ok();
    assert_eq!(following["mixture"], json!(null));
    assert_eq!(app.get("/settings/choices").await.ok()["defaults"]["mixture"], json!(null));
}

#[tokio::test]
async fn who_may_read_traces_may_ask_and_projects_are_apart() {
    let app = with_a_memory().await;
    mix(&app, 0.5).await;
    ran(&app, 1).await;
    let reader = app.holding(&["trace:read"]).await;
    assert_eq!(evaluate(&reader, strict()).await, evaluate(&app, strict()).await);
    let request = json!({"configuration": strict()});
    reader.project("other").post("/policies/evaluate", request.clone()).await.assert_code("forbidden");
    app.holding(&["memory:read"]).await.post("/policies/evaluate", request).await.assert_code("forbidden");
    let other = evaluate(&app.project("other"), strict()).await;
    assert_eq!((&other["runs"], &other["since"], &other["mixed"]), (&json!(0), &json!(null), &json!([])));
}

#[tokio::test]
async fn a_held_out_task_says_nothing_about_configurations() {
    let app = with_a_memory().await;
    mix(&app, 0.5).await;
    app.patch("/settings", json!({"holdout": 0.5})).await.ok();
    let mut counted = 0;
    for number in 0..40 {
        let answer = ask(&app, number).await;
        let held_out = answer.headers.contains_key("x-reflect-held-out");
        let logged = app.get(&format!("/retrievals/{}", answer.header("x-retrieval-id"))).await.ok();
        assert_eq!(logged.get("mixed").is_none(), held_out, "{logged}");
        if !held_out {
            let mut body = reviewed_run(&format!("Refund order {number}"), json!({"result": "pass"}));
            body["retrieval_id"] = json!(text(&logged["id"]));
            app.create(body).await;
            counted += 1;
        }
    }
    assert_eq!(evaluate(&app, strict()).await["runs"], counted);
}

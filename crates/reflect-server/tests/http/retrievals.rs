//! The retrieval log: which query a run was shown.

use axum::http::Method;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    client::{Client, run, text},
    test_app::{Setup, TestApp},
};

/// Asks, and answers the retrieval's id and the memories that were shown.
async fn ask(client: &Client, query: Value) -> (String, Vec<String>) {
    let answer = client.post("/memory/query", query).await;
    let retrieval_id = answer.header("x-retrieval-id").to_owned();
    let shown = answer.ok();
    (retrieval_id, crate::client::ids(shown.as_array().unwrap()))
}

async fn trace_of(client: &Client, body: Value) -> Value {
    let trace_id = client.create(body).await;
    client.trace(&trace_id).await
}

fn shown_run(memory_ids: &[&str]) -> Value {
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!(memory_ids);
    body
}

#[tokio::test]
async fn a_run_is_joined_to_the_query_that_it_names() {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    let (named, shown) = ask(&app, json!({"task": "Refund order 7"})).await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let mut body = run("Refund order 7");
    body["retrieved_memory_ids"] = json!(shown);
    body["retrieval_id"] = json!(named);
    let trace = trace_of(&app, body).await;
    assert_eq!(trace["retrieval_id"], named);
    assert_eq!(trace["warnings"], json!([]));
}

#[tokio::test]
async fn a_run_that_names_none_is_joined_to_the_newest_that_showed_its_memories() {
    let app = TestApp::new();
    let refund = app.learned("Refund an order").await;
    let cancel = app.learned("Cancel an order").await;
    ask(&app, json!({"task": "Refund an order", "limit": 2})).await;
    let (both, _) = ask(&app, json!({"task": "Refund an order", "limit": 2})).await;
    let (one, shown) = ask(&app, json!({"task": "Refund an order", "limit": 1})).await;
    assert_eq!(shown, [refund.as_str()]);
    assert_eq!(trace_of(&app, shown_run(&[&refund])).await["retrieval_id"], one);
    assert_eq!(trace_of(&app, shown_run(&[&cancel, &refund])).await["retrieval_id"], both);
}

#[tokio::test]
async fn another_keys_queries_are_not_taken_for_ones_own() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let holder = app.holding(&["memory:read", "trace:write"]).await;
    let (own, _) = ask(&holder, json!({"task": "Refund order 7"})).await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let trace = trace_of(&holder, shown_run(&[&memory_id])).await;
    assert_eq!(trace["retrieval_id"], own);
    let idle = app.holding(&["memory:read", "trace:write"]).await;
    let trace = trace_of(&idle, shown_run(&[&memory_id])).await;
    assert_eq!(trace["retrieval_id"], json!(null));
}

#[tokio::test]
async fn a_memory_that_no_query_showed_joins_nothing() {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let later = app.learned("Cancel an order").await;
    let trace = trace_of(&app, shown_run(&[&later])).await;
    assert_eq!(trace["retrieval_id"], json!(null));
    assert_eq!(trace["warnings"], json!([]));
}

#[tokio::test]
async fn forgotten_ids_are_warned_about() {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let trace = trace_of(&app, run("Refund order 7")).await;
    let warning = text(&trace["warnings"][0]);
    assert!(warning.contains("`retrieved_memory_ids` is empty"), "{warning}");
}

#[tokio::test]
async fn forgotten_ids_are_said_in_the_answer_and_counted_and_a_repeated_request_is_told_the_same() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let forgotten = app.post_once("once", "/traces", run("Refund order 7")).await.ok();
    assert!(text(&forgotten["warnings"][0]).contains("`retrieved_memory_ids` is empty"), "{forgotten}");
    assert_eq!(app.post_once("once", "/traces", run("Refund order 7")).await.ok(), forgotten);
    let fine = app.post("/traces", shown_run(&[&memory_id])).await.ok();
    assert_eq!(fine.get("warnings"), None, "clients of old are answered as of old");
    let metrics = app.send(Method::GET, "/metrics", None, &[]).await.json;
    assert!(metrics.as_str().unwrap().contains("\nreflect_traces_without_memory_ids_total 1\n"), "{metrics}");
}

#[tokio::test]
async fn a_query_of_long_ago_or_of_many_others_ago_is_not_held_against_a_run() {
    let app = TestApp::new();
    app.learned("Refund an order").await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    for number in 0..7 {
        ask(&app, json!({"task": format!("Cancel order {number}")})).await;
    }
    assert_ne!(trace_of(&app, run("Refund order 7")).await["warnings"], json!([]), "runs go on side by side");
    ask(&app, json!({"task": "Cancel order 8"})).await;
    assert_eq!(trace_of(&app, run("Refund order 7")).await["warnings"], json!([]));
    ask(&app, json!({"task": "Refund order 7"})).await;
    app.clock.turn_seconds(3_601);
    assert_eq!(trace_of(&app, run("Refund order 7")).await["warnings"], json!([]));
}

#[tokio::test]
async fn a_run_that_was_shown_nothing_is_not_warned() {
    let app = TestApp::new();
    ask(&app, json!({"task": "Refund order 7"})).await;
    assert_eq!(trace_of(&app, run("Refund order 7")).await["warnings"], json!([]));
    app.learned("Refund an order").await;
    ask(&app, json!({"task": "Refund order 7"})).await;
    let other = trace_of(&app, run("Cancel order 7")).await;
    assert_eq!(other["warnings"], json!([]), "it is another task");
}

#[tokio::test]
async fn unknown_ids_are_warned_about() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let trace = trace_of(&app, shown_run(&[&memory_id, "made up"])).await;
    let warning = json!(["1 of 2 retrieved_memory_ids are not memories of this project"]);
    assert_eq!(trace["warnings"], warning);
}

#[tokio::test]
async fn a_query_is_logged_with_what_it_showed() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let query = json!({"task": "Refund order 7", "limit": 3, "lambda": 0.25, "metadata_filter": {}});
    let (retrieval_id, _) = ask(&app, query).await;
    // The log is written behind; a later write has seen it.
    app.create(run("x")).await;
    let project_id = "default".parse().unwrap();
    let logged = app.engine.store().get_retrieval(project_id, retrieval_id.parse().unwrap()).await;
    let logged = logged.unwrap().unwrap();
    assert_eq!(logged.task, "Refund order 7");
    assert_eq!((logged.settings.limit, logged.settings.lambda), (3, 0.25));
    let shown: Vec<_> = logged.shown.iter().map(|shown| (shown.rank, shown.memory_id.to_string())).collect();
    assert_eq!(shown, [(1, memory_id)]);
}

#[tokio::test]
async fn whoever_may_only_read_fills_no_disk() {
    let settings = EngineSettings { retrieval_log_bytes: 40_000, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    let other = app.project("other");
    let (bystander, _) = ask(&other, json!({"task": "Refund order 7"})).await;
    let reader = app.holding(&["memory:read"]).await;
    let long = format!("{} {}", "Refund".repeat(2_000), "order 7".repeat(2_000));
    let mut asked = Vec::new();
    for _ in 0..60 {
        asked.push(ask(&reader, json!({"task": long, "limit": 1_000})).await.0);
        // The log is written behind; a later write has seen it.
        app.create(run("x")).await;
        app.engine.bound_retrieval_logs().await.unwrap();
    }
    let get = async |project: &str, id: &str| {
        let retrieval = app.engine.store().get_retrieval(project.parse().unwrap(), id.parse().unwrap()).await;
        retrieval.unwrap()
    };
    let newest = get("default", &asked[59]).await.unwrap();
    assert!(newest.task.chars().count() < 1_100, "{}", newest.task.len());
    assert_eq!(get("default", &asked[0]).await, None, "the oldest are forgotten first");
    assert!(get("other", &bystander).await.is_some(), "and only those of this project");
}

#[tokio::test]
async fn a_query_is_read_again_by_its_id() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let (retrieval_id, _) = ask(&app, json!({"task": "Refund an order", "limit": 3, "lambda": 0.25})).await;
    let path = format!("/retrievals/{retrieval_id}");
    let logged = app.get(&path).await.ok();
    assert_eq!(
        (&logged["task"], &logged["limit"], &logged["lambda"]),
        (&json!("Refund an order"), &json!(3), &json!(0.25))
    );
    let shown = &logged["shown"][0];
    assert_eq!((&shown["memory_id"], &shown["rank"], &shown["q_value"]), (&json!(memory_id), &json!(1), &json!(0.5)));
    let score = 0.75 * shown["similarity"].as_f64().unwrap() + 0.25 * 0.5;
    assert!((shown["score"].as_f64().unwrap() - score).abs() < 1e-12);
    app.project("other").get(&path).await.assert_code("not_found");
    app.get("/retrievals/nonsense").await.assert_code("not_found");
    app.holding(&["trace:write"]).await.get(&path).await.assert_code("forbidden");
}

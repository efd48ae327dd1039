//! Memories are found by the task that they were learned from, by what they say, or by both.

use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, text},
    letters::{Letters, only},
    test_app::{Setup, TestApp},
};

const LESSON: &str = "Always verify that the order exists before processing a return";
const BY_ITS_WORDS: &str = "verify that the order exists before processing the return";

/// A memory about this task that says this, and its id.
async fn taught(client: &Client, task: &str, guidance: &str) -> String {
    let authored = json!({"result": "pass", "reflection": {"summary": "s", "guidance": guidance}});
    let trace_id = client.create(reviewed_run(task, authored)).await;
    text(&client.trace(&trace_id).await["created_memory_id"])
}

/// Ids and similarities of all memories, by similarity.
async fn ask(client: &Client, task: &str, matching: Value) -> Vec<(String, f64)> {
    let query = json!({"task": task, "match": matching, "lambda": 0, "similarity_threshold": -1, "mmr_lambda": 1});
    let found = client.query(query).await;
    found.iter().map(|memory| (text(&memory["id"]), memory["similarity"].as_f64().unwrap())).collect()
}

#[tokio::test]
async fn a_memory_with_a_vague_task_is_found_by_what_it_says() {
    let app = TestApp::new();
    let told = taught(&app, "Ticket 4711", LESSON).await;
    let other = taught(&app, "Ticket 4712", "Write to the customer in their own language").await;
    let by_lesson = ask(&app, BY_ITS_WORDS, json!("lesson")).await;
    let by_task = ask(&app, BY_ITS_WORDS, json!("task")).await;
    let by_both = ask(&app, BY_ITS_WORDS, json!("both")).await;
    assert_eq!((&by_lesson[0].0, &by_both[0].0), (&told, &told));
    assert!(by_both[0].1 > by_task[0].1 + 0.3, "{by_both:?} {by_task:?}");
    assert_eq!(ask(&app, BY_ITS_WORDS, Value::Null).await, by_both, "both is what holds where nothing is said");
    let by_its_task = ask(&app, "Ticket 4712", json!("both")).await;
    assert_eq!((&by_its_task[0].0, by_its_task[0].1 > 0.99), (&other, true), "its task still finds it");
}

#[tokio::test]
async fn what_is_compared_comes_from_the_query_then_the_project_then_the_server() {
    let app = TestApp::new();
    taught(&app, "Ticket 4711", LESSON).await;
    let by_task = ask(&app, BY_ITS_WORDS, json!("task")).await;
    let by_lesson = ask(&app, BY_ITS_WORDS, json!("lesson")).await;
    assert_eq!(app.patch("/settings", json!({"match": "task"})).await.ok()["match"], "task");
    assert_eq!(ask(&app, BY_ITS_WORDS, Value::Null).await, by_task);
    assert_eq!(ask(&app, BY_ITS_WORDS, json!("lesson")).await, by_lesson);
    assert_eq!(app.patch("/settings", json!({"match": null})).await.ok()["match"], Value::Null);
    assert_eq!(app.get("/settings/choices").await.ok()["defaults"]["match"], "both");
}

#[tokio::test]
async fn an_unknown_match_is_refused_with_those_there_are() {
    let app = TestApp::new();
    let refused = app.post("/memory/query", json!({"task": "x", "match": "words"})).await.assert_invalid("match");
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert!(message.contains("`words`") && message.contains("`task`, `lesson`, `both`"), "{message}");
    app.patch("/settings", json!({"match": "words"})).await.assert_invalid("match");
}

#[tokio::test]
async fn an_edited_lesson_is_found_by_its_new_words_at_once() {
    let app = TestApp::new();
    let memory = taught(&app, "Ticket 4711", "Water the plants on Mondays").await;
    let before = ask(&app, BY_ITS_WORDS, json!("lesson")).await[0].1;
    app.patch(&format!("/memories/{memory}"), json!({"guidance": LESSON})).await.assert_status(200);
    let after = ask(&app, BY_ITS_WORDS, json!("lesson")).await[0].1;
    assert!(after > before + 0.3, "{before} {after}");
    assert_eq!(app.get("/settings").await.ok()["embedder_switch"], Value::Null);
}

#[tokio::test]
async fn a_lesson_that_could_not_be_embedded_gets_its_vector_in_the_background() {
    let letters = Letters::new("letters");
    let app = Setup { embedders: only(&letters), ..Setup::default() }.start();
    let memory = taught(&app, "Ticket 4711", "zzz zzz zzz").await;
    taught(&app, "Ticket 4712", "Write to the customer").await;
    letters.fail();
    app.patch(&format!("/memories/{memory}"), json!({"guidance": LESSON})).await.assert_status(200);
    letters.work();
    let similarity = async |matching: &str| {
        let found = ask(&app, "zzz", json!(matching)).await;
        found.into_iter().find(|(id, _)| *id == memory).unwrap().1
    };
    assert_eq!(similarity("lesson").await, similarity("task").await, "its task stands in for what it says");
    let shown = app.get("/settings").await.ok();
    let switch = &shown["embedder_switch"];
    assert_eq!((&switch["to"], &switch["done"], &switch["total"]), (&shown["embedder"], &json!(1), &json!(2)));
    let metrics = app.engine.render_metrics().await.unwrap();
    assert!(metrics.contains("reflect_memories_unembedded{project_id=\"default\"} 1"), "{metrics}");
    app.engine.run_due_switches().await.unwrap();
    assert_eq!(app.get("/settings").await.ok()["embedder_switch"], Value::Null);
    let found = ask(&app, LESSON, json!("lesson")).await;
    assert_eq!((found[0].0.as_str(), found[0].1 > 0.99), (memory.as_str(), true));
}

#[tokio::test]
async fn an_empty_answer_says_why() {
    let app = TestApp::new();
    let why = async |query: Value| {
        let answer = app.post("/memory/query", query).await;
        let found = answer.json.as_array().unwrap().len();
        (found, answer.headers.get("x-reflect-nothing-found").map(|why| why.to_str().unwrap().to_owned()))
    };
    let asked = || json!({"task": "Water the plants on the balcony", "similarity_threshold": 0.4});
    assert_eq!(why(asked()).await, (0, Some("the project has no memories yet that a query can find".into())));
    taught(&app, "Refund order 7", LESSON).await;
    let (_, reason) = why(asked()).await;
    let reason = reason.unwrap();
    let (nearest, floor) = reason
        .strip_prefix("the nearest of the project's memories (1) has a similarity of ")
        .and_then(|rest| rest.split_once(", below the floor of "))
        .unwrap_or_else(|| panic!("{reason}"));
    assert_eq!((nearest.parse::<f64>().unwrap() < 0.40, floor), (true, "0.40"));
    let of_nobody = json!({"task": "Refund order 7", "metadata_filter": {"team": "shop"}});
    let none_has_it = "none of the project's memories (1) has the metadata that was asked for";
    assert_eq!(why(of_nobody).await, (0, Some(none_has_it.into())));
    assert_eq!(why(json!({"task": "Refund order 7"})).await, (1, None));
}

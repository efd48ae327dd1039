//! Projects that do not fit in memory, which PostgreSQL searches where it has the extension `vector`.

use reflect_core::worth::LearningRule;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    client::{Client, run},
    test_app::{Setup, TestApp},
    test_database::TestDatabase,
};

/// A server on which no project fits, and which remembers a few changes to each.
fn start(graph_from: usize) -> TestApp {
    let app = setup(graph_from).start();
    assert!(app.run_sql("SELECT 1"), "this test needs PostgreSQL: `cargo xtask test postgres` starts one");
    app
}

fn setup(graph_from: usize) -> Setup {
    let settings = EngineSettings {
        learning: LearningRule::Constant,
        index_memory: 1,
        remembered_changes: 4,
        graph_from,
        ..EngineSettings::default()
    };
    Setup { settings, ..Setup::default() }
}

/// Learns something from each of these tasks.
async fn learn(client: &Client, numbers: std::ops::Range<usize>) {
    // These lessons tell little, and are ranked like all others.
    client.patch("/settings", json!({"empty_lessons": true})).await.ok();
    for number in numbers {
        let what = ["Refund", "Cancel", "Ship", "Track"][number % 4];
        let mut body = run(&format!("{what} order {number} of customer {}", number % 10));
        body["metadata"] = json!({"customer": number % 10, "number": number});
        body["review"] = json!({"result": if number % 3 == 0 { "fail" } else { "pass" }});
        client.create(body).await;
    }
    client.drain().await;
}

/// Has the server find out that the project does not fit, and the database take everything in.
async fn outgrow(client: &Client) {
    client.query_ids(json!({"task": "Refund"})).await;
    while client.engine.step_search_tables().await.unwrap() {}
    let tables = client.engine.look_for_search_tables().await.unwrap();
    assert!(tables.iter().any(|tables| tables.project_id.as_str() == client.project), "{tables:?}");
}

/// Many ways to ask.
fn questions() -> Vec<Value> {
    let asked = |task: &str, more: Value| {
        let mut question = json!({"task": task, "limit": 7});
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        question
    };
    vec![
        asked("Refund order 12 of customer 2", json!({})),
        asked("Ship order 22 of customer 2", json!({"lambda": 0.0, "match": "task"})),
        asked("Ship order 22 of customer 2", json!({"lambda": 1.0})),
        asked("Track an order", json!({"match": "lesson", "mmr_lambda": 1.0})),
        asked("Cancel", json!({"similarity_threshold": 0.2})),
        asked("Cancel", json!({"metadata_filter": {"customer": 3}})),
        asked("Cancel", json!({"metadata_filter": {"customer": 3.0, "number": 13}, "explain": true})),
        asked("Cancel", json!({"metadata_filter": {"customer": 77}})),
    ]
}

async fn answers(client: &Client) -> Vec<Value> {
    let mut answers = Vec::new();
    for question in questions() {
        let answer = client.post("/memory/query", question).await.assert_status(200);
        assert_eq!(answer.headers.get("x-reflect-approximate-search"), None);
        answers.push(answer.json);
    }
    answers
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn a_project_that_does_not_fit_is_answered_as_if_it_did() {
    for graph_from in [0, 1_000] {
        let app = start(graph_from);
        learn(&app, 0..60).await;
        let in_memory = answers(&app).await;
        outgrow(&app).await;
        assert_eq!(answers(&app).await, in_memory);
        assert_eq!(app.engine.check_indexes().await.unwrap().memories, 4, "the rest is not in memory");
        let app = app.restart();
        app.engine.look_for_search_tables().await.unwrap();
        assert_eq!(answers(&app).await, in_memory);
        assert_eq!(app.engine.check_indexes().await.unwrap().differing, []);
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn what_changes_is_seen_by_the_next_query() {
    let app = start(0);
    learn(&app, 0..40).await;
    outgrow(&app).await;
    let question = json!({"task": "Refund order 8 of customer 8", "lambda": 0.0});
    let best = app.query_ids(question.clone()).await[0].clone();
    let tables = app.engine.look_for_search_tables().await.unwrap();
    // The second time everything is in the tables as well.
    for round in 0..2 {
        let learned = app.learned(&format!("Refund order 8 of customer 8, round {round}")).await;
        let found = app.query_ids(question.clone()).await;
        assert!(found.contains(&learned) && found.contains(&best));
        app.delete(&format!("/memories/{learned}")).await.assert_status(204);
        assert!(!app.query_ids(question.clone()).await.contains(&learned));
        let words = format!("Zebras cross at midnight {round}");
        app.patch(&format!("/memories/{best}"), json!({"guidance": words})).await.ok();
        let by_words = json!({"task": words, "lambda": 0.0, "match": "lesson", "limit": 1});
        assert_eq!(app.query_ids(by_words.clone()).await, [best.as_str()]);
        while app.engine.step_search_tables().await.unwrap() {}
        assert_eq!(app.query_ids(by_words).await, [best.as_str()]);
        assert!(!app.query_ids(question.clone()).await.contains(&learned));
    }
    let filled = app.engine.look_for_search_tables().await.unwrap();
    assert!(filled[0].filled_to > tables[0].filled_to, "{filled:?}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn an_answer_by_a_graph_says_so() {
    let app = start(100);
    learn(&app, 0..320).await;
    outgrow(&app).await;
    let question = json!({"task": "Refund order 12 of customer 2", "similarity_threshold": 0.6});
    let answer = app.post("/memory/query", question).await.assert_status(200);
    assert_eq!(answer.header("x-reflect-approximate-search"), "graph");
    assert!(!answer.json.as_array().unwrap().is_empty());
    let filtered = json!({"task": "Refund", "metadata_filter": {"customer": 3}});
    let answer = app.post("/memory/query", filtered).await.assert_status(200);
    assert_eq!(
        answer.headers.get("x-reflect-approximate-search"),
        None,
        "few memories pass, and all of them are looked at"
    );
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn projects_are_searched_and_erased_by_themselves() {
    let app = start(0);
    let other = app.project("other");
    for client in [&*app, &other] {
        learn(client, 0..20).await;
        outgrow(client).await;
    }
    let question = json!({"task": "Refund order 12 of customer 2", "limit": 50});
    let (own, others) = (app.query_ids(question.clone()).await, other.query_ids(question.clone()).await);
    assert_eq!((own.len(), others.len()), (20, 20));
    assert!(own.iter().all(|id| !others.contains(id)));
    let left = |count: usize| {
        app.run_sql(&format!(
            "DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
             AND relkind = 'r' AND relname ~ '^search_[0-9]') = {count}; END $$"
        ))
    };
    assert!(left(4));
    other.delete("").await.assert_status(200);
    assert!(left(2), "nothing is left of a project that was deleted");
    assert_eq!(app.query_ids(question.clone()).await, own);
    learn(&other, 0..3).await;
    assert_eq!(other.query_ids(question).await.len(), 3, "of the project that has its name now");
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn without_the_extension_a_project_is_searched_in_memory() {
    let database = TestDatabase::without_extensions();
    let app = setup(0).start_on(database);
    learn(&app, 0..20).await;
    for _ in 0..2 {
        assert_eq!(app.query_ids(json!({"task": "Refund", "limit": 50})).await.len(), 20);
        assert!(!app.engine.step_search_tables().await.unwrap());
        assert_eq!(app.engine.look_for_search_tables().await.unwrap(), []);
    }
    assert_eq!(app.engine.check_indexes().await.unwrap().memories, 20);
}

//! What a query answers, and in which order.

use reflect_core::Outcome;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{Client, reviewed_run, text},
    test_app::{Setup, TestApp},
};

/// Moves a memory's utility by one run that was shown it.
async fn credit(client: &Client, memory_id: &str, outcome: Outcome) {
    let shown = client.shown_trace(&[memory_id], outcome).await;
    let trace_id = text(&shown["id"]);
    let made = text(&shown["created_memory_id"]);
    client.delete(&format!("/memories/{made}")).await.assert_status(204);
    assert_eq!(client.trace(&trace_id).await["review"]["result"], json!(outcome));
}

#[tokio::test]
async fn an_answer_holds_whole_lessons() {
    let app = TestApp::new();
    let near = app.learned("Refund an order").await;
    app.learned("Water the plants").await;
    credit(&app, &near, Outcome::Pass).await;
    assert_answer!("query", app.query(json!({"task": "Refund an order, please"})).await);
}

#[tokio::test]
async fn an_explained_answer_says_why() {
    let app = TestApp::new();
    let near = app.learned("Refund an order").await;
    app.learned("Refund the order").await;
    credit(&app, &near, Outcome::Fail).await;
    let query = json!({"task": "Refund an order", "explain": true, "similarity_threshold": 0.1});
    assert_answer!("explained_query", app.query(query).await);
}

#[tokio::test]
async fn nothing_is_found_where_nothing_was_learned() {
    let app = TestApp::new();
    assert!(app.query(json!({"task": "Refund an order"})).await.is_empty());
}

#[tokio::test]
async fn a_young_project_never_answers_empty() {
    let app = TestApp::new();
    for task in ["Refund an order", "Cancel a subscription", "Überweisung prüfen"] {
        app.learned(task).await;
    }
    let shown = app.query(json!({"task": "日本語 zzz 42"})).await;
    assert_eq!(shown.len(), 3);
}

#[tokio::test]
async fn lambda_0_is_similarity_and_lambda_1_is_utility() {
    let app = TestApp::new();
    let near = app.learned("Refund an order").await;
    let useful = app.learned("Water the plants").await;
    credit(&app, &near, Outcome::Fail).await;
    credit(&app, &useful, Outcome::Pass).await;
    let task = "Refund an order";
    let similar = app.query(json!({"task": task, "lambda": 0})).await;
    assert_eq!(similar[0]["id"], near);
    assert!(similar.iter().all(|memory| memory["score"] == memory["similarity"]));
    let proven = app.query(json!({"task": task, "lambda": 1})).await;
    assert_eq!(proven[0]["id"], useful);
    assert!(proven.iter().all(|memory| memory["score"] == memory["q_value"]));
}

#[tokio::test]
async fn the_floor_is_on_similarity_and_not_on_the_blend() {
    let app = TestApp::new();
    let near = app.learned("Refund an order").await;
    let far = app.learned("Water the plants").await;
    for _ in 0..3 {
        credit(&app, &far, Outcome::Pass).await;
        credit(&app, &near, Outcome::Fail).await;
    }
    let query = json!({"task": "Refund an order", "lambda": 1, "similarity_threshold": 0.6});
    assert_eq!(app.query_ids(query).await, [near]);
    let query = json!({"task": "Refund an order", "similarity_threshold": -1});
    assert_eq!(app.query(query).await.len(), 2);
}

#[tokio::test]
async fn the_limit_is_a_limit() {
    let app = TestApp::new();
    for number in 0..12 {
        app.learned(&format!("Refund order {number}")).await;
    }
    for (limit, found) in [(json!(null), 10), (json!(1), 1), (json!(1_000), 12)] {
        let query = json!({"task": "Refund order 3", "limit": limit});
        assert_eq!(app.query(query).await.len(), found);
    }
}

#[tokio::test]
async fn diversity_leaves_out_what_is_said_already_and_not_what_another_lesson_says() {
    let app = TestApp::new();
    let learned = async |lesson: &str| {
        let authored = json!({"result": "pass", "reflection": {"summary": lesson}});
        let trace_id = app.create(reviewed_run("Refund an order", authored)).await;
        text(&app.trace(&trace_id).await["created_memory_id"])
    };
    let said = learned("Compare the amount with the invoice before refunding").await;
    let said_again = learned("Before a refund, compare its amount with the invoice").await;
    let other = learned("Gift cards go back to the card that paid for them").await;
    let ask = |m: f64| json!({"task": "Refund an order", "limit": 2, "mmr_lambda": m, "lambda": 0});
    assert_eq!(app.query_ids(ask(1.0)).await, [said.clone(), said_again]);
    assert_eq!(app.query_ids(ask(0.7)).await, [said, other]);
}

#[tokio::test]
async fn equal_memories_are_ordered_by_id() {
    let app = TestApp::new();
    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    let first = app.learned("Refund an order").await;
    let second = app.learned("Refund an order").await;
    assert_eq!(app.query_ids(json!({"task": "Refund an order"})).await, [first, second]);
}

#[tokio::test]
async fn a_filter_reads_the_metadata_of_the_trace() {
    let app = TestApp::new();
    // All of them say the same.
    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    let gold =
        app.learned_with("Refund an order", json!({"tier": "gold", "tags": ["x", 2], "vip": true, "n": null})).await;
    let plain = app.learned_with("Refund an order", json!({"tier": "plain", "tags": "x"})).await;
    let bare = app.learned("Refund an order").await;
    let cases: [(Value, Vec<&String>); 11] = [
        (json!({}), vec![&gold, &plain, &bare]),
        (json!({"tier": "gold"}), vec![&gold]),
        (json!({"tier": "gold", "vip": true}), vec![&gold]),
        (json!({"tier": "gold", "vip": false}), vec![]),
        (json!({"tags": "x"}), vec![&gold, &plain]),
        (json!({"tags": 2.0}), vec![&gold]),
        (json!({"tags": ["x", 2]}), vec![&gold]),
        (json!({"tags": ["x"]}), vec![]),
        (json!({"n": null}), vec![&gold]),
        (json!({"tier": "lead"}), vec![]),
        (json!({"absent": "x"}), vec![]),
    ];
    for (filter, expected) in cases {
        let query = json!({"task": "Refund an order", "metadata_filter": filter});
        let found = app.query_ids(query).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter}");
    }
}

#[tokio::test]
async fn a_filter_reads_past_what_no_number_and_no_text_can_hold() {
    let app = TestApp::new();
    let odd = r#"{"task": "Refund an order", "trajectory": [], "metadata": {"n": 1e999, "s": "\ud800", "tier": "gold"},
                  "review": {"result": "pass", "reflection": {"summary": "It works."}}}"#;
    app.post_text("/traces", "application/json", odd).await.ok();
    let query = json!({"task": "Refund an order", "metadata_filter": {"tier": "gold"}});
    assert_eq!(app.query(query).await.len(), 1);
    let query = json!({"task": "Refund an order", "metadata_filter": {"n": null}});
    assert!(app.query(query).await.is_empty());
}

#[tokio::test]
async fn a_projects_settings_are_its_defaults() {
    let app = TestApp::new();
    let near = app.learned("Refund an order").await;
    let useful = app.learned("Water the plants").await;
    credit(&app, &useful, Outcome::Pass).await;
    let task = json!({"task": "Refund an order"});
    assert_eq!(app.query_ids(task.clone()).await[0], near);
    app.patch("/settings", json!({"lambda": 1.0})).await.ok();
    assert_eq!(app.query_ids(task.clone()).await[0], useful);
    let own = json!({"task": "Refund an order", "lambda": 0.0});
    assert_eq!(app.query_ids(own).await[0], near, "the query's own value wins");
    app.patch("/settings", json!({"similarity_threshold": 0.6})).await.ok();
    assert_eq!(app.query_ids(task).await, [near]);
}

#[tokio::test]
async fn the_servers_settings_come_last() {
    let settings = EngineSettings { lambda: 1.0, similarity_threshold: Some(0.6), ..EngineSettings::default() };
    let setup = Setup { settings, ..Setup::default() };
    let app = setup.start();
    let near = app.learned("Refund an order").await;
    app.learned("Water the plants").await;
    let shown = app.query(json!({"task": "Refund an order"})).await;
    assert_eq!(json!([near]), json!([shown[0]["id"]]));
    assert_eq!((shown.len(), &shown[0]["score"]), (1, &json!(0.5)));
    app.patch("/settings", json!({"similarity_threshold": -1})).await.ok();
    assert_eq!(app.query(json!({"task": "Refund an order"})).await.len(), 2);
}

#[tokio::test]
async fn a_bad_query_is_refused() {
    let app = TestApp::new();
    let cases = [
        (json!({"task": " "}), "task"),
        (json!({"task": "a\0b"}), "task"),
        (json!({"task": "x", "limit": 0}), "limit"),
        (json!({"task": "x", "limit": 1_001}), "limit"),
        (json!({"task": "x", "limit": -1}), "limit"),
        (json!({"task": "x", "lambda": -0.01}), "lambda"),
        (json!({"task": "x", "mmr_lambda": 1.01}), "mmr_lambda"),
        (json!({"task": "x", "similarity_threshold": -1.5}), "similarity_threshold"),
        (json!({"task": "x", "metadata_filter": ["tier"]}), "metadata_filter"),
        (json!({"task": "x", "metadata_filter": {"a": "b".repeat(8_192)}}), "metadata_filter"),
        (json!({"task": "x", "metadata_filter": {"a": vec![[1]; 100_000]}}), "metadata_filter"),
    ];
    for (query, path) in cases {
        app.post("/memory/query", query).await.assert_invalid(path);
    }
}

#[tokio::test]
async fn what_was_learned_is_found_after_a_restart() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    credit(&app, &memory_id, Outcome::Pass).await;
    let before = app.query(json!({"task": "Refund order 9"})).await;
    let app = app.restart();
    assert_eq!(app.query(json!({"task": "Refund order 9"})).await, before);
}

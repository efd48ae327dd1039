//! Indexes in memory: let go when there is no room, and held against the database.

use reflect_engine::EngineSettings;
use serde_json::json;

use crate::test_app::{Setup, TestApp};

#[tokio::test]
async fn the_least_recently_used_index_is_let_go_and_read_again() {
    let settings = EngineSettings { index_memory: 1, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    let other = app.project("other");
    app.learned("Refund an order").await;
    for task in ["Cancel an order", "Ship an order"] {
        other.learned(task).await;
    }
    let query = json!({"task": "Refund an order"});
    for _ in 0..2 {
        assert_eq!(app.query_ids(query.clone()).await.len(), 1);
        assert_eq!(app.engine.check_indexes().await.unwrap().memories, 1, "there is room for one");
        assert_eq!(other.query_ids(query.clone()).await.len(), 2);
        assert_eq!(app.engine.check_indexes().await.unwrap().memories, 2);
    }
}

#[tokio::test]
async fn an_index_that_followed_every_change_equals_the_database() {
    let app = TestApp::new();
    for number in 0..20 {
        let memory = app.learned(&format!("Refund order {number}")).await;
        app.query_ids(json!({"task": "Refund an order"})).await;
        if number % 3 == 0 {
            app.delete(&format!("/memories/{memory}")).await.assert_status(204);
        }
    }
    app.query_ids(json!({"task": "Refund an order"})).await;
    let report = app.engine.check_indexes().await.unwrap();
    assert_eq!((report.memories, report.differing), (13, vec![]));
}

//! How a project stands.

use reflect_core::Outcome;
use serde_json::json;

use crate::{
    assert_answer,
    client::{run, text},
    test_app::TestApp,
};

#[tokio::test]
async fn a_project_is_counted_by_day_and_result() {
    let app = TestApp::new();
    let memory = app.learned("Refund an order").await;
    app.clock.turn_seconds(24 * 3_600);
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Pass] {
        app.shown_trace(&[&memory], outcome).await;
    }
    app.create(run("Refund an order")).await;
    let statistics = app.get("/statistics?days=2").await.ok();
    assert_answer!(
        "statistics",
        &json!({
            "traces": statistics["traces"], "with_memories": statistics["with_memories"],
            "without_memories": statistics["without_memories"], "queue": statistics["queue"],
            "memories": statistics["memories"], "best": statistics["best"], "worst": statistics["worst"],
        })
    );
    let days = statistics["days"].as_array().unwrap();
    assert_eq!((&days[0]["traces"], &days[0]["passed"]), (&json!(1), &json!(1)));
    assert_eq!((&days[1]["traces"], &days[1]["passed"], &days[1]["failed"]), (&json!(4), &json!(2), &json!(1)));
    assert!(text(&days[0]["day"]) < text(&days[1]["day"]) && text(&days[1]["day"]).len() == 10);
    assert_eq!(app.get("/statistics").await.ok()["days"].as_array().unwrap().len(), 30);
}

#[tokio::test]
async fn another_project_is_not_counted_and_not_told_about() {
    let app = TestApp::new();
    app.project("other").reviewed_trace(Outcome::Pass).await;
    let statistics = app.get("/statistics").await.ok();
    assert_eq!((&statistics["traces"]["total"], &statistics["memories"]["active"]), (&json!(0), &json!(0)));
    let reader = app.holding(&["trace:read"]).await;
    reader.get("/statistics").await.ok();
    reader.project("other").get("/statistics").await.assert_code("forbidden");
    app.holding(&["memory:read"]).await.get("/statistics").await.assert_code("forbidden");
    for days in ["0", "367"] {
        app.get(&format!("/statistics?days={days}")).await.assert_invalid("days");
    }
}

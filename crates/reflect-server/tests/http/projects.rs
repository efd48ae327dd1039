//! Projects and their settings.

use axum::http::Method;
use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{Client, reviewed_run, run},
    test_app::TestApp,
};

async fn list(client: &Client) -> Value {
    client.send(Method::GET, "/v1/projects", None, &[]).await.ok()
}

#[tokio::test]
async fn the_master_key_sees_every_project() {
    let app = TestApp::new();
    assert_eq!(list(&app).await, json!([]));
    app.project("b").get("/traces").await.ok();
    app.project("a/ü 1").get("/traces").await.ok();
    assert_answer!("projects", &list(&app).await);
}

#[tokio::test]
async fn any_other_key_sees_its_own_project() {
    let app = TestApp::new();
    app.project("other").get("/traces").await.ok();
    let holder = app.holding(&[]).await;
    let seen = list(&holder).await;
    assert_eq!(seen.as_array().unwrap().len(), 1);
    assert_eq!(seen[0]["project_id"], "default");
}

#[tokio::test]
async fn a_stranger_sees_no_projects() {
    let app = TestApp::new();
    for key in ["", "rf_live_0000_0000"] {
        let stranger = app.with_key(key);
        let answer = stranger.send(Method::GET, "/v1/projects", None, &[]).await;
        answer.assert_code("unauthorized");
    }
}

#[tokio::test]
async fn a_deleted_project_tells_what_it_held() {
    let app = TestApp::new();
    app.reviewed_trace(Outcome::Pass).await;
    app.create(reviewed_run("Refund order 7", json!({"result": "fail"}))).await;
    app.holding(&["memory:read"]).await;
    assert_answer!("deleted_project", &app.delete("").await.ok());
    assert_eq!(list(&app).await, json!([]));
}

#[tokio::test]
async fn a_project_is_deleted_once_and_others_stay() {
    let app = TestApp::new();
    let other = app.project("other");
    let memory_id = other.learned("Refund an order").await;
    app.get("/traces").await.ok();
    app.delete("").await.ok();
    app.delete("").await.assert_code("not_found");
    assert_eq!(other.query_ids(json!({"task": "Refund an order"})).await, [memory_id]);
}

#[tokio::test]
async fn deleting_a_project_needs_the_scope() {
    let app = TestApp::new();
    let writer = app.holding(&["project:write"]).await;
    writer.delete("").await.assert_code("forbidden");
    let deleter = app.holding(&["project:delete"]).await;
    deleter.project("other").delete("").await.assert_code("forbidden");
    deleter.delete("").await.ok();
    deleter.delete("").await.assert_code("unauthorized");
}

#[tokio::test]
async fn settings_start_empty_and_follow_the_server() {
    let app = TestApp::new();
    assert_answer!("settings", &app.get("/settings").await.ok());
}

#[tokio::test]
async fn settings_are_read_with_their_scope_only() {
    let app = TestApp::new();
    let holder = app.holding(&["project:write"]).await;
    holder.get("/settings").await.ok();
    holder.project("other").get("/settings").await.assert_code("forbidden");
    app.holding(&["memory:read"]).await.get("/settings").await.assert_code("forbidden");
}

#[tokio::test]
async fn a_change_leaves_what_it_does_not_name() {
    let app = TestApp::new();
    let change = json!({"lambda": 0.2, "similarity_threshold": -0.5, "reflector": "builtin"});
    assert_answer!("changed_settings", &app.patch("/settings", change).await.ok());
    let changed = app.patch("/settings", json!({"alpha": 0.1, "lambda": null})).await.ok();
    assert_eq!(changed["similarity_threshold"], -0.5);
    assert_eq!((&changed["alpha"], &changed["lambda"]), (&json!(0.1), &Value::Null));
    assert_eq!(app.get("/settings").await.ok(), changed);
}

#[tokio::test]
async fn settings_outlive_a_restart() {
    let app = TestApp::new();
    let changed = app.patch("/settings", json!({"mmr_lambda": 1.0})).await.ok();
    let app = app.restart();
    assert_eq!(app.get("/settings").await.ok(), changed);
}

#[tokio::test]
async fn settings_out_of_range_change_nothing() {
    let app = TestApp::new();
    let before = app.get("/settings").await.ok();
    for (field, value) in [
        ("lambda", json!(1.5)),
        ("mmr_lambda", json!(-0.1)),
        ("similarity_threshold", json!(2)),
        ("alpha", json!("high")),
        ("reflector", json!("gpt")),
    ] {
        app.patch("/settings", json!({field: value})).await.assert_invalid(field);
    }
    assert_eq!(app.get("/settings").await.ok(), before);
    let reader = app.holding(&["memory:read"]).await;
    reader.patch("/settings", json!({"alpha": 0.1})).await.assert_code("forbidden");
}

#[tokio::test]
async fn what_is_being_erased_is_out_of_reach_and_others_are_not() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund")).await;
    let other = app.project("other");
    let bystander = other.create(run("Refund")).await;
    // Deleted, and not erased yet, as a large project is for a while.
    app.engine.store().delete_project("default".parse().unwrap()).await.unwrap().unwrap();
    for path in [format!("/traces/{trace_id}"), "/traces".into(), "/memories".into(), "/settings".into()] {
        let refused = app.get(&path).await.assert_code("unavailable");
        assert_eq!(refused.header("retry-after"), "1");
    }
    app.post("/traces", run("Refund")).await.assert_code("unavailable");
    app.delete("").await.assert_code("not_found");
    other.trace(&bystander).await;
    drop(other);
    let app = app.restart();
    app.get("/traces").await.assert_code("unavailable");
    app.engine.erase_deleted_projects().await.unwrap();
    app.create(run("Refund")).await;
    app.get(&format!("/traces/{trace_id}")).await.assert_code("not_found");
}

#[tokio::test]
async fn the_choices_of_settings_are_there_for_whoever_may_read_traces() {
    let app = TestApp::new();
    let choices = app.holding(&["trace:read"]).await.get("/settings/choices").await.ok();
    assert_eq!(choices["embedders"], json!(["hashing-v1-256"]));
    assert_eq!((&choices["reflectors"], &choices["judges"]), (&json!(["builtin"]), &json!(["off"])));
    let defaults = &choices["defaults"];
    assert_eq!((&defaults["lambda"], &defaults["alpha"], &defaults["limit"]), (&json!(0.5), &json!(0.3), &json!(10)));
    assert_eq!((&defaults["reflector"], &defaults["judge"]), (&json!("builtin"), &json!("off")));
    app.holding(&["project:write"]).await.get("/settings/choices").await.ok();
    app.holding(&["memory:read"]).await.get("/settings/choices").await.assert_code("forbidden");
    let elsewhere = app.project("other").holding(&["trace:read"]).await;
    elsewhere.project("default").get("/settings/choices").await.assert_code("forbidden");
}

//! Memories: listing, looking at one, editing, deleting.

use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{ids, text},
    test_app::TestApp,
};

const NO_MEMORY: &str = "/memories/018f0000-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_memory_shows_its_whole_record() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    app.shown_trace(&[&memory_id], Outcome::Fail).await;
    assert_answer!("memory", &app.memory(&memory_id).await);
}

#[tokio::test]
async fn a_memory_is_found_by_its_own_project_only() {
    let app = TestApp::new();
    let memory_id = app.project("other").learned("Refund an order").await;
    app.get(&format!("/memories/{memory_id}")).await.assert_code("not_found");
    app.get(NO_MEMORY).await.assert_code("not_found");
    app.get("/memories/nonsense").await.assert_code("not_found");
}

#[tokio::test]
async fn memories_are_listed_newest_first() {
    let app = TestApp::new();
    assert_eq!(app.get("/memories").await.ok(), json!([]));
    let first = app.learned("Refund an order").await;
    let second = app.learned("Cancel an order").await;
    let listed = app.get("/memories").await.ok();
    assert_eq!(ids(listed.as_array().unwrap()), [second, first]);
    assert_eq!(listed[0].get("credits"), None, "ledgers are read one at a time");
}

#[tokio::test]
async fn memories_are_listed_by_status_and_in_pages() {
    let app = TestApp::new();
    let mut memory_ids = Vec::new();
    for task in ["one", "two", "three", "four", "five"] {
        memory_ids.insert(0, app.learned(task).await);
    }
    let hidden = memory_ids.remove(1);
    app.patch(&format!("/memories/{hidden}"), json!({"status": "disabled"})).await.ok();
    let mut found = Vec::new();
    let mut next = Some(app.in_project("/memories?status=active&limit=2"));
    while let Some(path) = next {
        let page = app.send(axum::http::Method::GET, &path, None, &[]).await;
        next = page.next_page();
        found.extend(ids(page.ok().as_array().unwrap()));
    }
    assert_eq!(found, memory_ids);
    let disabled = app.get("/memories?status=disabled").await.ok();
    assert_eq!(ids(disabled.as_array().unwrap()), [hidden]);
}

#[tokio::test]
async fn a_bad_list_is_refused() {
    let app = TestApp::new();
    app.get("/memories?limit=0").await.assert_invalid("limit");
    app.get("/memories?limit=1001").await.assert_invalid("limit");
    app.get("/memories?cursor=nonsense").await.assert_invalid("cursor");
    app.get("/memories?status=lost").await.assert_code("invalid_request");
}

#[tokio::test]
async fn an_edit_is_a_new_revision_by_an_editor() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    app.clock.turn_seconds(60);
    let edit = json!({"guidance": "Ask for the reason.", "applicable_tools": ["refund"]});
    let edited = app.patch(&format!("/memories/{memory_id}"), edit).await.ok();
    assert_answer!("edited_memory", &edited);
    assert!(text(&edited["created_at"]) < text(&edited["updated_at"]));
    let shown = app.query(json!({"task": "Refund an order"})).await;
    assert_eq!(shown[0]["guidance"], "Ask for the reason.");
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_no_revision() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let path = format!("/memories/{memory_id}");
    let before = app.memory(&memory_id).await;
    let same = json!({"guidance": before["guidance"], "status": "active"});
    app.patch(&path, same).await.ok();
    app.patch(&path, json!({})).await.ok();
    assert_eq!(app.memory(&memory_id).await, before);
}

#[tokio::test]
async fn a_bad_edit_changes_nothing() {
    let app = TestApp::new();
    let memory_id = app.learned("Refund an order").await;
    let path = format!("/memories/{memory_id}");
    let before = app.memory(&memory_id).await;
    let cases: [(Value, &str); 3] = [
        (json!({"status": "lost"}), "status"),
        (json!({"summary": 7}), "summary"),
        (json!({"applicable_tools": ["a\0"]}), "applicable_tools[0]"),
    ];
    for (edit, place) in cases {
        app.patch(&path, edit).await.assert_invalid(place);
    }
    app.patch(NO_MEMORY, json!({})).await.assert_code("not_found");
    assert_eq!(app.memory(&memory_id).await, before);
}

#[tokio::test]
async fn a_memory_is_deleted_once() {
    let app = TestApp::new();
    let trace = app.reviewed_trace(Outcome::Pass).await;
    let path = format!("/memories/{}", text(&trace["created_memory_id"]));
    app.delete(&path).await.assert_status(204);
    app.delete(&path).await.assert_code("not_found");
    assert_eq!(app.get("/memories").await.ok(), json!([]));
    let left = app.trace(&text(&trace["id"])).await;
    assert_eq!(left["created_memory_id"], json!(null));
    assert_eq!(left["review_status"], "reviewed");
}

#[tokio::test]
async fn another_projects_memory_is_not_deleted() {
    let app = TestApp::new();
    let memory_id = app.project("other").learned("Refund an order").await;
    app.delete(&format!("/memories/{memory_id}")).await.assert_code("not_found");
    app.project("other").memory(&memory_id).await;
}

//! Memories: listing, looking at one, editing, deleting.

use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{
    assert_answer,
    client::{ids, reviewed_run, text},
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
async fn a_page_of_large_memories_ends_early_and_leads_on() {
    let app = TestApp::new();
    let mut memory_ids = Vec::new();
    for number in 0..6 {
        let memory_id = app.learned(&format!("Task {number}")).await;
        app.patch(&format!("/memories/{memory_id}"), json!({"guidance": "x".repeat(1_000_000)})).await.ok();
        memory_ids.insert(0, memory_id);
    }
    let first = app.get("/memories?limit=1000").await;
    let next = first.next_page().unwrap();
    assert_eq!(ids(first.ok().as_array().unwrap()), memory_ids[..5]);
    let second = app.send(axum::http::Method::GET, &next, None, &[]).await;
    assert_eq!(second.next_page(), None);
    assert_eq!(ids(second.ok().as_array().unwrap()), memory_ids[5..]);
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

#[tokio::test]
async fn memories_are_listed_in_another_order_page_by_page() {
    let app = TestApp::new();
    let (one, other) = (app.learned("Refund an order").await, app.learned("Cancel an order").await);
    let mut run = reviewed_run("Refund the order", json!({"result": "pass"}));
    run["retrieved_memory_ids"] = json!([one]);
    app.create(run).await;
    let first = app.get("/memories?order=utility&limit=1").await;
    let link = first.headers["link"].to_str().unwrap().to_owned();
    assert_eq!(first.ok()[0]["id"], one);
    let next = link.trim_start_matches('<').split('>').next().unwrap();
    let second = app.send(axum::http::Method::GET, next, None, &[]).await.ok();
    assert_eq!(second[0]["id"], other);
    assert_eq!(app.get("/memories?order=uses&direction=asc").await.ok()[0]["id"], other);
    assert_eq!(app.get("/memories?text=CANCEL").await.ok().as_array().unwrap().len(), 1);
    let from_now = app.get(&format!("/memories?order=uses&cursor={one}")).await.ok();
    assert_eq!(from_now, second);
    app.get("/memories?order=uses&cursor=x").await.assert_invalid("cursor");
    app.get("/memories?order=beauty").await.assert_code("invalid_request");
    app.get(&format!("/memories?text={}", "x".repeat(1_001))).await.assert_invalid("text");
}

#[tokio::test]
async fn the_steps_of_a_utility_say_what_it_was_after_them() {
    let app = TestApp::new();
    let memory = app.learned("Refund an order").await;
    for result in ["pass", "fail"] {
        let mut run = reviewed_run("Refund the order", json!({"result": result}));
        run["retrieved_memory_ids"] = json!([memory]);
        app.create(run).await;
    }
    let path = format!("/memories/{memory}/credits");
    let credits = app.get(&path).await.ok();
    let after: Vec<f64> =
        credits.as_array().unwrap().iter().map(|step| step["q_value_after"].as_f64().unwrap()).collect();
    assert!((after[0] - 0.455).abs() < 1e-12 && (after[1] - 0.65).abs() < 1e-12, "{after:?}");
    let page = app.get(&format!("{path}?limit=1")).await;
    assert!(page.headers["link"].to_str().unwrap().contains("cursor=1"), "{:?}", page.headers);
    let last = app.get(&format!("{path}?limit=1&cursor=1")).await;
    assert!(!last.headers.contains_key("link"));
    assert_eq!(last.ok()[0], credits[1]);
    let reader = app.holding(&["trace:write"]).await;
    reader.get(&path).await.assert_code("forbidden");
    app.project("other").get(&path).await.assert_code("not_found");
    app.get(&format!("{path}?cursor=x")).await.assert_invalid("cursor");
}

#[tokio::test]
async fn what_a_memory_said_before_is_listed() {
    let app = TestApp::new();
    let memory = app.learned("Refund an order").await;
    app.patch(&format!("/memories/{memory}"), json!({"guidance": "Ask first."})).await.ok();
    let path = format!("/memories/{memory}/revisions");
    let revisions = app.get(&path).await.ok();
    assert_eq!((&revisions[0]["revision"], &revisions[0]["guidance"]), (&json!(2), &json!("Ask first.")));
    assert_eq!(revisions[1]["written_by"]["reflector"], "builtin");
    assert_eq!(revisions.as_array().unwrap().len(), 2);
    app.project("other").get(&path).await.assert_code("not_found");
    app.holding(&["trace:write"]).await.get(&path).await.assert_code("forbidden");
}

#[tokio::test]
async fn the_map_shows_active_memories_and_is_made_anew_when_one_changes() {
    let app = TestApp::new();
    assert_eq!(app.get("/memories/map").await.ok()["points"], json!([]));
    let tasks = ["Refund an order", "Refund the order", "Water the plants", "Water these plants"];
    let mut memories = Vec::new();
    for task in tasks {
        memories.push(app.learned(task).await);
    }
    let reader = app.holding(&["memory:read"]).await;
    let map = reader.get("/memories/map").await.ok();
    assert_eq!((&map["total"], map["points"].as_array().unwrap().len()), (&json!(4), 4));
    let point = |id: &str| {
        let points = map["points"].as_array().unwrap();
        let point = points.iter().find(|point| point["id"] == id).unwrap();
        [point["x"].as_f64().unwrap(), point["y"].as_f64().unwrap()]
    };
    let distance = |one: usize, other: usize| {
        let ([x, y], [u, v]) = (point(&memories[one]), point(&memories[other]));
        (x - u).hypot(y - v)
    };
    assert!(distance(0, 1) < distance(0, 2) && distance(2, 3) < distance(1, 3), "{map}");
    app.clock.turn_seconds(60);
    assert_eq!(reader.get("/memories/map").await.ok(), map, "nothing has changed");
    app.patch(&format!("/memories/{}", memories[0]), json!({"status": "disabled"})).await.ok();
    let without = reader.get("/memories/map").await.ok();
    assert_eq!((&without["total"], without["points"].as_array().unwrap().len()), (&json!(3), 3));
    assert_eq!(app.project("other").get("/memories/map").await.ok()["points"], json!([]));
    reader.project("other").get("/memories/map").await.assert_code("forbidden");
    app.holding(&["trace:write"]).await.get("/memories/map").await.assert_code("forbidden");
}

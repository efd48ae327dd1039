//! `GET /v1/projects/{project_id}/skill`.

use reflect_core::{Skill, Timestamp};
use serde_json::json;

use crate::test_app::TestApp;

fn skill(version: u32) -> Skill {
    Skill {
        content: format!("---\nname: refunds\n---\nVersion {version}."),
        version,
        name: "refunds".into(),
        description: "How to refund".into(),
        n_passed: 3,
        n_failed: 1,
        memory_ids: Vec::new(),
        created_at: Timestamp::from_micros(1_794_734_000_000_000),
    }
}

#[tokio::test]
async fn the_newest_version_is_answered() {
    let app = TestApp::new();
    app.get("/traces").await.ok();
    for version in [1, 2] {
        let stored = app.engine.store().insert_skill("default".parse().unwrap(), skill(version)).await;
        assert!(stored.unwrap());
    }
    let answer = app.get("/skill").await.ok();
    assert_eq!(answer["version"], 2);
    assert_eq!(answer["content"], "---\nname: refunds\n---\nVersion 2.");
    assert_eq!(answer["memory_ids"], json!([]));
}

#[tokio::test]
async fn there_is_none_at_first() {
    let app = TestApp::new();
    app.get("/skill").await.assert_code("not_found");
}

#[tokio::test]
async fn another_projects_skill_is_not_shown() {
    let app = TestApp::new();
    app.project("other").get("/traces").await.ok();
    let stored = app.engine.store().insert_skill("other".parse().unwrap(), skill(1)).await;
    assert!(stored.unwrap());
    app.get("/skill").await.assert_code("not_found");
    let holder = app.holding(&["skill:read"]).await;
    holder.project("other").get("/skill").await.assert_code("forbidden");
}

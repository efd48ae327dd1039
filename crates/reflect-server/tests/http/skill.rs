//! `POST …/skill/create`, `GET …/skill` and its versions.

use std::{sync::Arc, time::Duration};

use reflect_core::{Skill, Timestamp};
use reflect_engine::ModelParts;
use reflect_llm::{ChatModel, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, text},
    fakes::down,
    test_app::{Setup, TestApp},
};

fn skill(version: u32) -> Skill {
    Skill {
        content: format!("---\nname: refunds\n---\nVersion {version}."),
        version,
        name: "refunds".into(),
        description: "How to refund".into(),
        n_passed: 3,
        n_failed: 1,
        memory_ids: Vec::new(),
        written_by: None,
        created_at: Timestamp::from_micros(1_794_734_000_000_000),
    }
}

#[tokio::test]
async fn the_newest_version_is_answered() {
    let app = TestApp::new();
    app.get("/traces").await.ok();
    for version in [1, 2] {
        let stored = app.engine.store().insert_skill("default".parse().unwrap(), skill(version), None).await;
        assert!(stored.unwrap().is_some());
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
    let stored = app.engine.store().insert_skill("other".parse().unwrap(), skill(1), None).await;
    assert!(stored.unwrap().is_some());
    app.get("/skill").await.assert_code("not_found");
    let holder = app.holding(&["skill:read"]).await;
    holder.project("other").get("/skill").await.assert_code("forbidden");
}

/// Teaches a project so many lessons of either outcome.
async fn teach(client: &Client, passed: usize, failed: usize) {
    for (count, result) in [(passed, "pass"), (failed, "fail")] {
        for place in 0..count {
            let task = format!("{result}: refund order {place} in shop {}", place * 7);
            let lesson =
                json!({"summary": format!("Order {place}."), "guidance": format!("Do step {place} of {result}.")});
            client.create(reviewed_run(&task, json!({"result": result, "reflection": lesson}))).await;
        }
    }
}

async fn create(client: &Client, body: Value) -> Value {
    client.post("/skill/create", body).await.ok()
}

#[tokio::test]
async fn a_skill_is_composed_from_passed_and_failed_lessons() {
    let app = TestApp::new();
    teach(&app, 7, 6).await;
    let skill = create(&app, json!({})).await;
    assert_eq!((&skill["version"], &skill["n_passed"], &skill["n_failed"]), (&json!(1), &json!(5), &json!(5)));
    let content = text(&skill["content"]);
    assert!(content.starts_with("---\nname: "), "{content}");
    assert_eq!(skill["memory_ids"].as_array().unwrap().len(), 10);
    assert_eq!(app.get("/skill").await.ok(), skill);
    for memory_id in skill["memory_ids"].as_array().unwrap() {
        app.get(&format!("/memories/{}", text(memory_id))).await.ok();
    }
}

#[tokio::test]
async fn creating_again_makes_a_new_version_and_keeps_the_old_ones() {
    let app = TestApp::new();
    teach(&app, 5, 0).await;
    let first = create(&app, json!({"n_passed": 3, "n_failed": 0})).await;
    assert_eq!((&first["n_passed"], &first["n_failed"]), (&json!(3), &json!(0)));
    teach(&app, 0, 3).await;
    let second = create(&app, json!({})).await;
    assert_eq!(second["version"], 2);
    assert_eq!(app.get("/skill").await.ok(), second);
    assert_eq!(app.get("/skill/versions").await.ok(), json!([second, first]));
    assert_eq!(app.get("/skill/versions/1").await.ok(), first);
    for missing in ["3", "0", "newest"] {
        app.get(&format!("/skill/versions/{missing}")).await.assert_code("not_found");
    }
}

#[tokio::test]
async fn fewer_than_five_reviewed_memories_are_too_few() {
    let app = TestApp::new();
    teach(&app, 3, 1).await;
    let refused = app.post("/skill/create", json!({})).await.assert_code("too_few_memories");
    assert!(text(&refused.json["error"]["message"]).contains("4 reviewed memories"), "{}", refused.json);
    app.get("/skill").await.assert_code("not_found");
    teach(&app, 0, 1).await;
    create(&app, json!({})).await;
}

#[tokio::test]
async fn hidden_and_deleted_memories_carry_no_skill() {
    let app = TestApp::new();
    teach(&app, 5, 0).await;
    let memory_id = text(&app.get("/memories").await.ok()[0]["id"]);
    app.patch(&format!("/memories/{memory_id}"), json!({"status": "disabled"})).await.ok();
    app.post("/skill/create", json!({})).await.assert_code("too_few_memories");
    teach(&app, 1, 0).await;
    let skill = create(&app, json!({})).await;
    assert!(!skill["memory_ids"].as_array().unwrap().contains(&json!(memory_id)));
}

#[tokio::test]
async fn a_wish_out_of_range_is_refused() {
    let app = TestApp::new();
    app.post("/skill/create", json!({"n_passed": 101})).await.assert_invalid("n_passed");
    app.post("/skill/create", json!({"n_failed": -1})).await.assert_invalid("n_failed");
}

#[tokio::test]
async fn a_skill_needs_its_scopes() {
    let app = TestApp::new();
    teach(&app, 5, 0).await;
    let reader = app.holding(&["skill:read"]).await;
    reader.post("/skill/create", json!({})).await.assert_code("forbidden");
    reader.get("/skill/versions").await.ok();
    let writer = app.holding(&["skill:write"]).await;
    writer.post("/skill/create", json!({})).await.ok();
    writer.get("/skill/versions").await.assert_code("forbidden");
    writer.project("other").post("/skill/create", json!({})).await.assert_code("forbidden");
}

fn by(skill: &Value) -> (&Value, &Value) {
    (&skill["written_by"]["reflector"], &skill["written_by"]["stands_in_for"])
}

/// What a counter or a gauge stands at.
async fn counted(app: &Client, row: &str) -> u64 {
    let metrics = text(&app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok());
    let line = metrics.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse().unwrap())
}

#[tokio::test]
async fn every_version_says_who_wrote_it() {
    let answer = json!({"description": "Refunds.", "pitfalls": [],
                        "what_works": [{"text": "Look up the order first.", "memories": ["M1"]}]});
    let model = ScriptedModel::new([ScriptedStep::text(answer.to_string()), ScriptedStep::error(down())]);
    let app = Setup::with_model(Arc::new(model.named("openai/tester"))).start();
    teach(&app, 5, 0).await;
    let by_model = create(&app, json!({})).await;
    assert_eq!(by(&by_model), (&json!("llm"), &Value::Null));
    assert_eq!(by_model["written_by"]["model"], "openai/tester");
    let stand_in = create(&app, json!({})).await;
    assert_eq!(by(&stand_in), (&json!("builtin"), &json!("openai/tester")));
    app.patch("/settings", json!({"reflector": "builtin"})).await.ok();
    let by_rules = create(&app, json!({})).await;
    assert_eq!(by(&by_rules), (&json!("builtin"), &Value::Null));
    assert_eq!(app.get("/skill/versions").await.ok(), json!([by_rules, stand_in, by_model]));
    let old = Skill { version: 4, ..skill(4) };
    assert!(app.engine.store().insert_skill("default".parse().unwrap(), old, None).await.unwrap().is_some());
    assert_eq!(app.get("/skill").await.ok()["written_by"], Value::Null, "a version from before this was kept");
}

#[tokio::test]
async fn rules_compose_when_the_model_does_not_answer() {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::error(down())).named("openai/tester"));
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    teach(&app, 5, 0).await;
    for _ in 0..4 {
        assert_eq!(create(&app, json!({})).await["n_passed"], 5);
    }
    assert_eq!(model.requests().len(), 3, "after three failures it is left alone");
    assert_eq!(counted(&app, "reflect_llm_fallbacks_total{role=\"skill_writer\",reason=\"unavailable\"}").await, 3);
    assert_eq!(counted(&app, "reflect_llm_fallbacks_total{role=\"skill_writer\",reason=\"outage\"}").await, 1);
    assert_eq!(counted(&app, "reflect_llm_out{model=\"openai/tester\"}").await, 1);
}

#[tokio::test]
async fn the_operators_limit_on_a_call_holds_for_skills() {
    let model = ScriptedModel::answering(|_| ScriptedStep::hang()).named("openai/tester");
    let setup = Setup::with_model(Arc::new(model));
    let models = ModelParts { call_timeout: Some(Duration::from_millis(20)), ..setup.models.clone() };
    let app = Setup { models, ..setup }.start();
    teach(&app, 5, 0).await;
    assert_eq!(by(&create(&app, json!({})).await), (&json!("builtin"), &json!("openai/tester")));
    let timeouts = "reflect_llm_calls_total{model=\"openai/tester\",role=\"skill_writer\",outcome=\"timeout\"}";
    assert_eq!(counted(&app, timeouts).await, 1);
}

#[tokio::test]
async fn a_skill_that_is_asked_for_twice_is_written_once() {
    let answer = json!({"description": "Refunds.", "pitfalls": [],
                        "what_works": [{"text": "Look up the order first.", "memories": ["M1"]}]});
    let model =
        Arc::new(ScriptedModel::answering(move |_| ScriptedStep::text(answer.to_string())).named("openai/tester"));
    let app = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>).start();
    teach(&app, 5, 0).await;
    let first = app.post_once("k1", "/skill/create", json!({})).await.ok();
    teach(&app, 0, 1).await;
    assert_eq!(app.post_once("k1", "/skill/create", json!({})).await.ok(), first);
    assert_eq!(model.requests().len(), 1, "what was written before costs nothing");
    app.post_once("k1", "/skill/create", json!({"n_passed": 2})).await.assert_code("idempotency_key_reused");
    assert_eq!(app.get("/skill/versions").await.ok(), json!([first]));
    let second = app.post_once("k2", "/skill/create", json!({})).await.ok();
    assert_eq!(second["version"], 2);
    assert_eq!(
        app.post_once("k1", "/skill/create", json!({})).await.ok(),
        first,
        "the first answer, not the newest version"
    );
}

#[tokio::test]
async fn a_skill_that_is_asked_for_twice_at_once_is_written_once() {
    let app = TestApp::new();
    teach(&app, 5, 0).await;
    let ask = || app.post_once("k1", "/skill/create", json!({}));
    let (first, second) = tokio::join!(ask(), ask());
    assert_eq!(first.ok(), second.ok());
    assert_eq!(app.get("/skill/versions").await.ok().as_array().unwrap().len(), 1);
}

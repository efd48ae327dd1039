//! Random histories of learning, deleting, switching and dying: every query finds every memory, whatever is under way.

use std::collections::BTreeSet;

use proptest::{prelude::*, test_runner::Config};
use reflect_core::EmbedderId;
use reflect_engine::{EngineSettings, SwitchProgress};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    client::{Client, reviewed_run, text},
    letters::{Letters, beside_hashing},
    test_app::{Setup, TestApp, block_on},
};

const EMBEDDERS: [(&str, &str); 3] =
    [("builtin", "hashing-v1-256"), ("letters", "letters-v1-27"), ("others", "others-v1-27")];

/// One thing that happens to a project.
#[derive(Debug, Clone)]
enum Act {
    Learn,
    /// Deletes one of those that are there.
    Delete(usize),
    Switch(usize),
    Step,
    Restart,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => Just(Act::Learn),
        2 => (0..8_usize).prop_map(Act::Delete),
        3 => (0..EMBEDDERS.len()).prop_map(Act::Switch),
        5 => Just(Act::Step),
        1 => Just(Act::Restart),
    ];
    prop::collection::vec(act, 1..30)
}

async fn found(app: &TestApp) -> BTreeSet<String> {
    let query = json!({"task": "Refund an order", "limit": 1000, "similarity_threshold": -1, "mmr_lambda": 1});
    app.query(query).await.iter().map(|memory| text(&memory["id"])).collect()
}

async fn progress(app: &TestApp, embedder: &str) -> SwitchProgress {
    let embedder = EmbedderId(embedder.into());
    app.engine.store().get_switch_progress("default".parse().unwrap(), embedder).await.unwrap()
}

async fn live_through(acts: Vec<Act>) {
    let (letters, others) = (Letters::new("letters"), Letters::new("others"));
    let embedders = beside_hashing(&[&letters, &others]);
    let settings = EngineSettings { switch_batch: 1, ..EngineSettings::default() };
    let mut app = Setup { embedders, settings, ..Setup::default() }.start();
    app.get("/settings").await.ok();
    let (mut live, mut wanted) = (Vec::new(), 0);
    for (number, act) in acts.into_iter().enumerate() {
        match act {
            Act::Learn => live.push(app.learned(&format!("Refund order {number}")).await),
            Act::Delete(place) if !live.is_empty() => {
                let memory_id = live.remove(place % live.len());
                app.delete(&format!("/memories/{memory_id}")).await.assert_status(204);
            }
            Act::Delete(_) => {}
            Act::Switch(embedder) => {
                wanted = embedder;
                app.patch("/settings", json!({"embedder": EMBEDDERS[embedder].0})).await.ok();
            }
            Act::Step => {
                app.engine.step_switches().await.unwrap();
            }
            Act::Restart => app = app.restart(),
        }
        assert_eq!(found(&app).await, live.iter().cloned().collect::<BTreeSet<_>>());
    }
    app.engine.run_due_switches().await.unwrap();
    let shown = app.get("/settings").await.ok();
    assert_eq!(shown["embedder"], EMBEDDERS[wanted].1, "{shown}");
    for (place, (_, embedder)) in EMBEDDERS.iter().enumerate() {
        let done = if place == wanted { live.len() } else { 0 };
        assert_eq!(progress(&app, embedder).await, SwitchProgress { done, total: live.len() }, "{embedder}");
    }
    assert_eq!(found(&app).await, live.iter().cloned().collect::<BTreeSet<_>>());
}

/// Learns and deletes, with lessons that are stored at once. Answers the memories that are left.
async fn come_and_go(client: Client, name: usize) -> Vec<String> {
    let mut left = Vec::new();
    for number in 0..12 {
        let authored = json!({"result": "pass", "reflection": {"summary": "Look the order up first."}});
        let trace_id = client.create(reviewed_run(&format!("Refund order {name}-{number}"), authored)).await;
        let memory_id = text(&client.trace(&trace_id).await["created_memory_id"]);
        let query = json!({"task": "Refund an order", "limit": 1000, "similarity_threshold": -1, "mmr_lambda": 1});
        assert!(client.query_ids(query).await.contains(&memory_id), "what was acknowledged is found");
        if number % 3 == 0 {
            client.delete(&format!("/memories/{memory_id}")).await.assert_status(204);
        } else {
            left.push(memory_id);
        }
    }
    left
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_crowd_finds_what_it_learns_while_the_project_is_switched_to_and_fro() {
    let (letters, others) = (Letters::new("letters"), Letters::new("others"));
    let settings = EngineSettings { switch_batch: 2, ..EngineSettings::default() };
    let setup = Setup { embedders: beside_hashing(&[&letters, &others]), settings, ..Setup::default() };
    let (app, background) = setup.start_with_worker().await;
    app.get("/settings").await.ok();
    let mut crowd = JoinSet::new();
    for name in 0..4 {
        crowd.spawn(come_and_go(app.project("default"), name));
    }
    let mut left = BTreeSet::new();
    for turn in 0.. {
        while let Some(ended) = crowd.try_join_next() {
            left.extend(ended.unwrap());
        }
        if crowd.is_empty() {
            break;
        }
        // Some arrive, and some are sent elsewhere on their way.
        let (name, embedder) = EMBEDDERS[turn % 3];
        app.patch("/settings", json!({"embedder": name})).await.ok();
        for _ in 0..turn % 20 {
            if app.get("/settings").await.ok()["embedder"] == embedder {
                break;
            }
        }
    }
    app.patch("/settings", json!({"embedder": "letters"})).await.ok();
    while app.get("/settings").await.ok()["embedder"] != "letters-v1-27" {
        tokio::task::yield_now().await;
    }
    background.stop().await;
    app.engine.run_due_switches().await.unwrap();
    assert_eq!(found(&app).await, left);
    for (name, embedder) in EMBEDDERS {
        let done = if name == "letters" { left.len() } else { 0 };
        assert_eq!(progress(&app, embedder).await, SwitchProgress { done, total: left.len() }, "{embedder}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 32, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_query_finds_every_memory_and_one_vector_of_each_is_left(acts in acts()) {
        block_on(live_through(acts));
    }
}

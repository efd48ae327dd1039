//! Sitting out: what is due is left out now and then, so that runs show what it adds.

use std::collections::BTreeMap;

use reflect_core::{Outcome, worth::LearningRule};
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    client::text,
    test_app::{Setup, TestApp},
    worth::{asked, ran},
};

/// A server at its defaults, but that no slot is on trial. Nine runs were reviewed, so it knows what is usual; each left a lesson, and what tells little
/// is ranked like all others.
async fn grown() -> TestApp {
    let settings = EngineSettings { learning: LearningRule::Worth, trial_share: 0.0, ..EngineSettings::default() };
    let app = Setup { settings, ..Setup::default() }.start();
    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    for number in 0..9 {
        ran(&app, &format!("Refund order {number}"), f64::from(number % 2), None).await;
    }
    app
}

/// All lessons have been seen by so many runs, half of which passed.
async fn seen_by(app: &TestApp, runs: usize) {
    let all = app.query_ids(json!({"task": "Refund an order", "limit": 100, "explain": true})).await;
    let ids: Vec<&str> = all.iter().map(String::as_str).collect();
    for number in 0..runs {
        app.shown_trace(&ids, if number % 2 == 0 { Outcome::Pass } else { Outcome::Fail }).await;
    }
}

fn query() -> Value {
    json!({"task": "Refund order 4", "limit": 3, "similarity_threshold": -1})
}

/// Who sat out which share of so many answers.
async fn shares(app: &TestApp, query: &Value, answers: u32) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    for _ in 0..answers {
        let (retrieval_id, _) = asked(app, query.clone()).await;
        for id in sat_out(app, &retrieval_id).await {
            *shares.entry(text(&id)).or_insert(0.0) += 1.0 / f64::from(answers);
        }
    }
    shares
}

async fn sat_out(app: &TestApp, retrieval_id: &str) -> Vec<Value> {
    let retrieval = app.get(&format!("/retrievals/{retrieval_id}")).await.ok();
    retrieval.get("sat_out").map(|ids| ids.as_array().unwrap().clone()).unwrap_or_default()
}

#[tokio::test]
async fn what_is_doubtful_sits_out_and_the_next_best_takes_its_place() {
    let app = grown().await;
    seen_by(&app, 6).await;
    for _ in 0..50 {
        let (retrieval_id, shown) = asked(&app, query()).await;
        assert_eq!(shown.len(), 3);
        let out = sat_out(&app, &retrieval_id).await;
        assert!(shown.iter().all(|memory| !out.contains(&memory["id"])), "{out:?}");
    }
    let shares = shares(&app, &query(), 150).await;
    let most = shares.values().copied().fold(0.0, f64::max);
    assert!((0.2..0.4).contains(&most), "{shares:?}");
}

#[tokio::test]
async fn nothing_sits_out_before_its_first_runs() {
    let app = grown().await;
    assert_eq!(shares(&app, &query(), 60).await, BTreeMap::new(), "no run has seen any of them");
    seen_by(&app, 4).await;
    assert_eq!(shares(&app, &query(), 60).await, BTreeMap::new());
}

#[tokio::test]
async fn somebody_is_always_left_and_a_lone_lesson_is_there_nearly_always() {
    let app = grown().await;
    seen_by(&app, 6).await;
    let floor =
        |similarity_threshold: f64| json!({"task": "Refund order 4", "similarity_threshold": similarity_threshold});
    let mut empty = 0;
    for _ in 0..200 {
        empty += usize::from(app.query(floor(0.999)).await.is_empty());
        assert!(!app.query(floor(-1.0)).await.is_empty());
    }
    assert!((1..=25).contains(&empty), "one in twenty: {empty}");
}

#[tokio::test]
async fn a_query_a_project_and_those_who_only_look_can_do_without_it() {
    let app = grown().await;
    seen_by(&app, 6).await;
    for (name, value) in [("sitting_out", json!(0)), ("explain", json!(true))] {
        let mut query = query();
        query[name] = value;
        assert_eq!(shares(&app, &query, 30).await, BTreeMap::new(), "{name}");
    }
    let settings = app.patch("/settings", json!({"sitting_out": 0})).await.ok();
    assert_eq!(settings["sitting_out"], 0.0);
    assert_eq!(shares(&app, &query(), 30).await, BTreeMap::new());
    app.patch("/settings", json!({"sitting_out": null})).await.ok();
    assert_ne!(shares(&app, &query(), 30).await, BTreeMap::new());
    for wrong in [-0.1, 0.6] {
        app.patch("/settings", json!({"sitting_out": wrong})).await.assert_code("invalid_request");
        app.post("/memory/query", json!({"task": "t", "sitting_out": wrong})).await.assert_code("invalid_request");
    }
}

#[tokio::test]
async fn a_query_that_is_sent_again_is_answered_alike() {
    let app = grown().await;
    seen_by(&app, 6).await;
    let mut answers = BTreeMap::new();
    for round in 0..3 {
        for number in 0..12 {
            let key = format!("run-{number}");
            let answer = app.post_once(&key, "/memory/query", query()).await.ok();
            let ids: Vec<String> = answer.as_array().unwrap().iter().map(|memory| text(&memory["id"])).collect();
            assert_eq!(answers.entry(key).or_insert_with(|| ids.clone()), &ids, "round {round}");
        }
    }
    assert_ne!(answers.values().min(), answers.values().max(), "another request, another chance");
}

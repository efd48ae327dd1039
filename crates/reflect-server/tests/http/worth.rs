//! Learning by what a memory adds: what is logged, what it moves, and what is left out.

use reflect_core::{Outcome, worth::LearningRule};
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    client::{reviewed_run, text},
    test_app::{Setup, TestApp},
};

/// A server that learns by worth, with one slot on trial in this share of queries; nobody sits out.
pub(crate) fn by_worth(trial_share: f64) -> TestApp {
    let learning = LearningRule::Worth;
    let settings = EngineSettings { learning, trial_share, sitting_out: 0.0, ..EngineSettings::default() };
    Setup { settings, ..Setup::default() }.start()
}

/// A reviewed run about the task that saw these memories by that query.
pub(crate) async fn ran(app: &TestApp, task: &str, score: f64, seen: Option<(&str, &[&str])>) -> Value {
    let mut body = reviewed_run(task, json!({"result": if score < 0.5 { "fail" } else { "pass" }, "score": score}));
    if let Some((retrieval_id, memory_ids)) = seen {
        body["retrieval_id"] = json!(retrieval_id);
        body["retrieved_memory_ids"] = json!(memory_ids);
    }
    let trace_id = app.create(body).await;
    app.drain().await;
    app.trace(&trace_id).await
}

/// The id of an answer, and the ids of its memories.
pub(crate) async fn asked(app: &TestApp, query: Value) -> (String, Vec<Value>) {
    let answer = app.post("/memory/query", query).await.assert_status(200);
    let retrieval_id = answer.headers["x-retrieval-id"].to_str().unwrap().to_owned();
    (retrieval_id, answer.json.as_array().unwrap().clone())
}

fn near(found: &Value, expected: f64) -> bool {
    (found.as_f64().unwrap() - expected).abs() < 1e-6
}

#[tokio::test]
async fn a_first_review_moves_a_utility_as_a_constant_step_does() {
    let app = by_worth(0.05);
    let memory_id = app.learned("Refund an order").await;
    assert_eq!(app.memory(&memory_id).await["q_value"], 0.5);
    app.shown_trace(&[&memory_id], Outcome::Fail).await;
    let memory = app.memory(&memory_id).await;
    assert!(near(&memory["q_value"], 0.35) && near(&memory["credits"][0]["q_value_after"], 0.35), "{memory}");
    assert_eq!(
        app.query(json!({"task": "Refund an order", "similarity_threshold": 0})).await[0]["q_value"],
        memory["q_value"]
    );
}

#[tokio::test]
async fn a_memory_is_credited_with_what_was_not_to_be_expected_without_it() {
    let app = by_worth(0.0);
    for number in 0..12 {
        ran(&app, &format!("Refund order {number}"), 0.0, None).await;
    }
    let (retrieval_id, shown) = asked(&app, json!({"task": "Refund order 4", "limit": 2, "mmr_lambda": 1})).await;
    let ids: Vec<String> = shown.iter().map(|memory| text(&memory["id"])).collect();
    let seen: Vec<&str> = ids.iter().map(String::as_str).collect();
    ran(&app, "Refund order 4", 1.0, Some((&retrieval_id, &seen))).await;
    let memory = app.memory(&ids[0]).await;
    let credit = &memory["credits"][0];
    let usual = credit["usual"].as_f64().unwrap();
    assert!(usual < 0.1, "such tasks always failed: {credit}");
    assert!(near(&credit["others"], 0.02), "the other one was new, too: {credit}");
    assert_eq!(credit["probability"], 1.0);
    let lead = 12.3 * ((1.0 - usual - 0.02 + 0.8) / 41.0 - 0.02);
    let expected = 0.5 + 0.5 * lead / (0.35 + lead);
    assert!(near(&memory["q_value"], expected), "{memory}");
    assert!(expected > 0.7, "more than a pass of a task that passes half of the time");

    // The answer and its log tell the same score.
    let logged = app.get(&format!("/retrievals/{retrieval_id}")).await.ok();
    for (shown, logged) in shown.iter().zip(logged["shown"].as_array().unwrap()) {
        assert!(near(&logged["score"], shown["score"].as_f64().unwrap()), "{logged}");
    }
    assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);
}

#[tokio::test]
async fn a_correction_ends_where_the_right_review_would_have() {
    let (wrong, right) = (by_worth(0.0), by_worth(0.0));
    let mut utilities = Vec::new();
    for (app, score) in [(&wrong, 0.25), (&right, 1.0)] {
        for number in 0..9 {
            ran(app, &format!("Refund order {number}"), f64::from(number % 2), None).await;
        }
        let (retrieval_id, shown) = asked(app, json!({"task": "Refund order 4", "limit": 1})).await;
        let memory_id = text(&shown[0]["id"]);
        let trace = ran(app, "Refund order 4", score, Some((&retrieval_id, &[&memory_id]))).await;
        if score < 1.0 {
            let correction = json!({"result": "pass", "score": 1.0, "supersedes": true});
            app.review(&text(&trace["id"]), correction).await.ok();
        }
        utilities.push(app.utility(&memory_id).await.to_bits());
        assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);
    }
    assert_eq!(utilities[0], utilities[1]);
}

/// A memory that failed in so many runs of which nothing else is known, and a query that would find it.
async fn failed(app: &TestApp, runs: usize) -> (String, Value) {
    let harmful = app.learned("Refund an order").await;
    app.learned("Cancel an order").await;
    for _ in 0..runs {
        app.shown_trace(&[&harmful], Outcome::Fail).await;
    }
    (harmful, json!({"task": "Refund an order", "limit": 100, "similarity_threshold": -1}))
}

#[tokio::test]
async fn what_hurts_is_left_out_once_there_is_evidence_for_it() {
    let app = by_worth(0.0);
    let (unlucky, query) = failed(&app, 8).await;
    assert!(app.query_ids(query).await.contains(&unlucky), "eight failures may be bad luck");
    let app = by_worth(0.0);
    let (harmful, query) = failed(&app, 9).await;
    assert!(!app.query_ids(query.clone()).await.contains(&harmful));
    assert!(app.memory(&harmful).await["q_value"].as_f64().unwrap() < 0.15);
    app.patch("/settings", json!({"learning": "constant"})).await.ok();
    assert!(app.query_ids(query.clone()).await.contains(&harmful));
    let average = app.utility(&harmful).await;
    assert!((average - 0.5 * 0.7_f64.powi(9)).abs() < 1e-12, "{average}");
    assert_eq!(app.get("/memories?retired=true").await.ok(), json!([]), "constant steps retire nothing");
    app.patch("/settings", json!({"learning": null})).await.ok();
    assert!(!app.query_ids(query).await.contains(&harmful));
}

#[tokio::test]
async fn what_is_left_out_is_listed_with_its_evidence_and_comes_back_when_asked() {
    let app = by_worth(0.0);
    let (harmful, query) = failed(&app, 10).await;
    let listed = app.get("/memories?retired=true").await.ok();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &json!(harmful)), "{listed}");
    let retirement = &listed[0]["retirement"];
    assert!(retirement["worth"].as_f64().unwrap() < -retirement["deviation"].as_f64().unwrap(), "{retirement}");
    assert_eq!(retirement["runs"], 10.0);
    assert!(retirement["returns_at"].is_string(), "{retirement}");
    assert_eq!(&app.memory(&harmful).await["retirement"], retirement);

    let path = format!("/memories/{harmful}");
    app.patch(&path, json!({"retired": true})).await.assert_code("invalid_request");
    let back = app.patch(&path, json!({"retired": false})).await.ok();
    assert_eq!((&back["retirement"], &back["q_value"], &back["uses"]), (&Value::Null, &json!(0.5), &json!(10)));
    assert_eq!(app.get("/memories?retired=true").await.ok(), json!([]));
    // It begins anew.
    app.shown_trace(&[&harmful], Outcome::Fail).await;
    let memory = app.memory(&harmful).await;
    assert!(near(&memory["q_value"], 0.35), "{memory}");
    assert_eq!(memory["credits"].as_array().unwrap().len(), 11);
    assert!(app.query_ids(query).await.contains(&harmful));
    assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);
}

#[tokio::test]
async fn what_is_pinned_is_never_left_out_and_sits_out_nothing() {
    let app = by_worth(0.0);
    let (harmful, query) = failed(&app, 10).await;
    let path = format!("/memories/{harmful}");
    let pinned = app.patch(&path, json!({"pinned": true})).await.ok();
    assert_eq!((&pinned["pinned"], &pinned["retirement"]), (&json!(true), &Value::Null));
    assert_eq!(app.get("/memories?retired=true").await.ok(), json!([]));
    for _ in 0..40 {
        assert!(app.query_ids(query.clone()).await.contains(&harmful));
    }
    app.patch(&path, json!({"pinned": false})).await.ok();
    assert!(!app.query_ids(query).await.contains(&harmful));
}

#[tokio::test]
async fn what_is_left_out_comes_back_when_its_evidence_has_aged() {
    let app = by_worth(0.0);
    let (harmful, query) = failed(&app, 10).await;
    app.clock.turn_seconds(40 * 86_400);
    assert!(!app.query_ids(query.clone()).await.contains(&harmful), "half of it is left after a year");
    app.patch("/settings", json!({"half_life_days": 30})).await.ok();
    assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);
    assert!(app.query_ids(query.clone()).await.contains(&harmful));
    assert_eq!(app.get("/memories?retired=true").await.ok(), json!([]));
    app.patch("/settings", json!({"half_life_days": 0})).await.ok();
    assert!(!app.query_ids(query).await.contains(&harmful), "evidence never ages");
    let retirement = &app.memory(&harmful).await["retirement"];
    assert_eq!(retirement["returns_at"], Value::Null, "{retirement}");
    app.patch("/settings", json!({"half_life_days": -1})).await.assert_code("invalid_request");
}

#[tokio::test]
async fn evidence_is_folded_again_when_it_ages_at_another_pace() {
    let app = by_worth(0.0);
    let (memory_id, _) = failed(&app, 5).await;
    app.clock.turn_seconds(60 * 86_400);
    app.shown_trace(&[&memory_id], Outcome::Pass).await;
    let before = app.utility(&memory_id).await;
    app.patch("/settings", json!({"half_life_days": 10})).await.ok();
    let after = app.utility(&memory_id).await;
    assert!(after > 0.5 && after > before, "{before} {after}: of old failures little is left");
    assert_eq!(app.engine.store().check_ledger().await.unwrap().mismatches, []);
    app.patch("/settings", json!({"half_life_days": null})).await.ok();
    assert_eq!(app.utility(&memory_id).await.to_bits(), before.to_bits());
}

#[tokio::test]
async fn now_and_then_the_first_slot_goes_to_another() {
    let app = by_worth(0.5);
    for number in 0..30 {
        ran(&app, &format!("Refund order {number}"), 1.0, None).await;
    }
    let query = json!({"task": "Refund order 4", "limit": 1, "similarity_threshold": -1});
    let mut found = std::collections::BTreeMap::new();
    for _ in 0..200 {
        let (retrieval_id, shown) = asked(&app, query.clone()).await;
        *found.entry(text(&shown[0]["id"])).or_insert(0) += 1;
        assert_eq!(app.get(&format!("/retrievals/{retrieval_id}")).await.ok()["shown"][0]["memory_id"], shown[0]["id"]);
    }
    let most = *found.values().max().unwrap();
    assert!((80..=125).contains(&most) && (10..=20).contains(&found.len()), "{found:?}");
}

#[tokio::test]
async fn a_share_out_of_range_and_an_unknown_rule_are_refused() {
    let app = TestApp::new();
    app.patch("/settings", json!({"trial_share": 1.5})).await.assert_code("invalid_request");
    app.patch("/settings", json!({"learning": "magic"})).await.assert_code("invalid_request");
    let settings = app.patch("/settings", json!({"trial_share": 0.2, "learning": "worth"})).await.ok();
    assert_eq!([&settings["trial_share"], &settings["learning"]], [&json!(0.2), &json!("worth")]);
}

#[tokio::test]
async fn what_somebody_wrote_down_is_no_run() {
    let app = by_worth(0.0);
    for number in 0..12 {
        let lesson = json!({"guidance": "Look first."});
        let review = json!({"result": "pass", "reflection": lesson});
        app.create(json!({"task": format!("Refund order {number}"), "trajectory": [], "review": review})).await;
    }
    let question = json!({"task": "Refund order 7", "limit": 1, "similarity_threshold": -1});
    let usual_of = async || {
        let (retrieval_id, shown) = asked(&app, question.clone()).await;
        let id = text(&shown[0]["id"]);
        ran(&app, "Refund order 7", 0.0, Some((&retrieval_id, &[&id]))).await;
        app.memory(&id).await["credits"][0].get("usual").cloned()
    };
    assert_eq!(usual_of().await, None, "nobody knows what is usual");
    // An agent that asked for memories, and writes its lesson itself, had a run.
    for number in 0..12 {
        let (retrieval_id, _) = asked(&app, question.clone()).await;
        let review = json!({"result": "fail", "reflection": {"guidance": "Look first."}});
        let task = format!("Refund order {number}");
        app.create(json!({"task": task, "trajectory": [], "retrieval_id": retrieval_id, "review": review})).await;
    }
    let usual = usual_of().await.unwrap();
    assert!(usual.as_f64().unwrap() < 0.1, "all runs failed: {usual}");
}

#[tokio::test]
async fn what_is_known_of_a_memory_is_said_in_a_sentence() {
    let app = by_worth(0.0);
    let id = app.learned("Refund an order").await;
    let evidence = async || app.memory(&id).await["evidence"].clone();
    assert_eq!(evidence().await["sentence"], "No reviewed run has seen it yet.");
    for number in 0..20 {
        let (retrieval_id, _) = asked(&app, json!({"task": "Refund an order", "limit": 1})).await;
        ran(&app, &format!("Water plant {number}"), 1.0, Some((&retrieval_id, &[&id]))).await;
    }
    let known = evidence().await;
    assert!(known["helps"].as_f64().unwrap() > 0.5 && known["worth"].as_f64().unwrap() > 0.0, "{known}");
    let sentence = known["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("20 of 20 reviewed runs that saw it passed"), "{sentence}");
    assert!(sentence.contains("; it is believed to add "), "{sentence}");
    app.patch("/settings", json!({"learning": "constant"})).await.ok();
    assert_eq!(evidence().await, Value::Null);
}

#[tokio::test]
async fn what_is_always_shown_together_shares_its_evidence() {
    let app = by_worth(0.0);
    let (first, second) = (app.learned("Refund an order").await, app.learned("Water a plant").await);
    let evidence = async |id: &str| app.memory(id).await["evidence"].clone();
    for _ in 0..4 {
        app.shown_trace(&[&first, &second], Outcome::Pass).await;
    }
    assert_eq!(evidence(&first).await["always_with"], Value::Null, "too few runs say so");
    app.shown_trace(&[&first, &second], Outcome::Fail).await;
    let known = evidence(&first).await;
    assert_eq!(known["always_with"], json!([second]));
    let sentence = known["sentence"].as_str().unwrap();
    assert!(
        sentence.ends_with(". In its newest runs always shown together with 1 other: their evidence is shared."),
        "{sentence}"
    );
    let listed = app.get("/memories").await.ok();
    for memory in listed.as_array().unwrap() {
        assert!(!memory["evidence"]["sentence"].as_str().unwrap().contains("Always"), "{memory}");
    }

    // The second has a run of its own from now on, the first has none.
    app.shown_trace(&[&second], Outcome::Pass).await;
    assert_eq!(evidence(&second).await["always_with"], Value::Null);
    assert_eq!(evidence(&first).await["always_with"], json!([second]));
    app.patch("/settings", json!({"learning": "constant"})).await.ok();
    assert_eq!(evidence(&first).await, Value::Null);
}

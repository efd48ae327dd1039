//! Lessons that say the same, written by many runs.

use reflect_core::Outcome;
use serde_json::{Value, json};

use crate::{client::text, test_app::TestApp, worth::by_worth};

/// A memory of a run about the task that was reviewed with these words.
async fn rule(app: &TestApp, task: &str, words: &str) -> String {
    let review = json!({"result": "fail", "feedback_text": words});
    let trace_id =
        app.create(json!({"task": task, "trajectory": "Looked.", "final_response": "B.", "review": review})).await;
    app.drain().await;
    text(&app.trace(&trace_id).await["created_memory_id"])
}

async fn seen(app: &TestApp, memory_id: &str, outcome: Outcome, runs: usize) {
    for _ in 0..runs {
        app.shown_trace(&[memory_id], outcome).await;
    }
}

/// Two memories that say the same, and one that does not.
async fn two_alike(app: &TestApp) -> [String; 3] {
    [
        rule(app, "File the invoice of customer 7", "Invoices go to accounting first.").await,
        rule(app, "File the invoice of customer 8", "Invoices go to  Accounting first.").await,
        rule(app, "File the invoice of customer 9", "Invoices go to the archive first.").await,
    ]
}

/// Which of the first two are shown.
async fn shown<'a>(app: &TestApp, alike: &'a [String; 3]) -> Vec<&'a String> {
    let query = json!({"task": "File the invoice of customer 8", "limit": 100, "similarity_threshold": -1});
    let found = app.query_ids(query).await;
    assert!(found.contains(&alike[2]), "another lesson is shown in any case");
    alike[..2].iter().filter(|id| found.contains(id)).collect()
}

#[tokio::test]
async fn what_is_left_out_does_not_come_back_in_the_words_of_another_run() {
    let app = by_worth(0.0);
    let alike = two_alike(&app).await;
    let [harmful, copy, _] = &alike;
    assert_eq!(shown(&app, &alike).await, [copy], "the nearer one of two");
    seen(&app, harmful, Outcome::Fail, 9).await;
    assert!(shown(&app, &alike).await.is_empty());
    assert_eq!(app.get("/memories?retired=true").await.ok().as_array().unwrap().len(), 1);

    app.patch("/settings", json!({"empty_lessons": true})).await.ok();
    assert_eq!(shown(&app, &alike).await, [copy], "each for itself");
    app.patch("/settings", json!({"empty_lessons": null, "learning": "constant"})).await.ok();
    assert_eq!(shown(&app, &alike).await.len(), 1, "constant steps leave nothing out");
    app.patch("/settings", json!({"learning": null})).await.ok();
    assert!(shown(&app, &alike).await.is_empty());

    // As the trial slot may.
    seen(&app, harmful, Outcome::Pass, 1).await;
    assert_eq!(shown(&app, &alike).await, [copy]);
    app.patch(&format!("/memories/{copy}"), json!({"status": "disabled"})).await.ok();
    assert_eq!(shown(&app, &alike).await, [harmful]);
}

#[tokio::test]
async fn a_copy_goes_by_its_own_evidence_once_it_has_more() {
    let app = by_worth(0.0);
    let alike = two_alike(&app).await;
    let [harmful, copy, _] = &alike;
    seen(&app, harmful, Outcome::Fail, 9).await;
    seen(&app, copy, Outcome::Pass, 8).await;
    assert!(shown(&app, &alike).await.is_empty());
    seen(&app, copy, Outcome::Pass, 1).await;
    assert_eq!(shown(&app, &alike).await, [copy]);
}

#[tokio::test]
async fn somebody_can_bring_copies_back() {
    let app = by_worth(0.0);
    let alike = two_alike(&app).await;
    let [harmful, copy, _] = &alike;
    seen(&app, harmful, Outcome::Fail, 9).await;
    let change = async |memory_id: &str, change: Value| {
        app.patch(&format!("/memories/{memory_id}"), change).await.ok();
        shown(&app, &alike).await
    };
    assert_eq!(change(copy, json!({"pinned": true})).await, [copy]);
    assert_eq!(change(copy, json!({"pinned": false})).await, [""; 0]);
    assert_eq!(change(harmful, json!({"status": "disabled"})).await, [copy]);
    assert_eq!(change(harmful, json!({"status": "active"})).await, [""; 0]);
    assert_eq!(change(harmful, json!({"retired": false})).await, [copy]);
}

#[tokio::test]
async fn one_of_those_that_say_the_same_is_listed_and_opens_all_of_them() {
    let app = by_worth(0.0);
    let [first, second, other] = two_alike(&app).await;
    seen(&app, &second, Outcome::Pass, 2).await;
    let list = async |query: &str| {
        let listed = app.get(&format!("/memories?{query}")).await.ok();
        let row = |memory: &Value| (text(&memory["id"]), memory["runs_alike"].as_u64());
        listed.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let by_use = list("distinct=true&order=uses&status=active").await;
    assert_eq!(by_use[0], (second.clone(), Some(2)));
    assert!(by_use.contains(&(other, None)) && !by_use.iter().any(|(id, _)| *id == first), "{by_use:?}");
    assert_eq!(list(&format!("same_as={first}")).await, [(second.clone(), None), (first, None)]);
    assert_eq!(app.memory(&second).await.get("runs_alike"), None, "a list says so");
    app.get("/memories?distinct=true&text=invoice").await.assert_code("invalid_request");
    app.get("/memories?same_as=7").await.assert_code("invalid_request");
}

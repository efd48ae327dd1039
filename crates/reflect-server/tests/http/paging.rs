//! Lists of traces: pages, links, filters, and whole lists as streams.

use axum::{
    body::Body,
    http::{Method, Request},
};
use futures_util::StreamExt;
use reflect_api::Limits;
use reflect_core::Outcome;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    answer::Answer,
    client::{Client, ids, run, text},
    test_app::{Setup, TestApp},
};

async fn create_many(client: &Client, count: usize) -> Vec<String> {
    let mut newest_first = Vec::new();
    for number in 0..count {
        newest_first.push(client.create(json!({"task": format!("Task {number}"), "trajectory": []})).await);
    }
    newest_first.reverse();
    newest_first
}

fn ids_of(answer: Answer) -> Vec<String> {
    ids(answer.ok().as_array().unwrap())
}

/// Follows the links from this path. Answers every page's ids.
async fn walk(client: &Client, path: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut next = Some(client.in_project(path));
    while let Some(path) = next {
        let answer = client.send(Method::GET, &path, None, &[]).await;
        next = answer.next_page();
        pages.push(ids_of(answer));
    }
    pages
}

#[tokio::test]
async fn traces_are_listed_newest_first() {
    let app = TestApp::new();
    assert_eq!(app.get("/traces").await.ok(), json!([]));
    let created = create_many(&app, 3).await;
    let answer = app.get("/traces").await;
    assert_eq!(answer.next_page(), None);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.json[0], app.trace(&created[0]).await, "a listed trace is a whole one");
    assert_eq!(ids_of(answer), created);
}

#[tokio::test]
async fn pages_lead_from_one_to_the_next() {
    let app = TestApp::new();
    let created = create_many(&app, 5).await;
    let pages = walk(&app, "/traces?limit=2").await;
    let sizes: Vec<usize> = pages.iter().map(Vec::len).collect();
    assert_eq!(sizes, [2, 2, 1]);
    assert_eq!(pages.concat(), created);
    assert_eq!(walk(&app, "/traces?limit=5").await.len(), 1, "a full last page leads nowhere");
}

#[tokio::test]
async fn a_page_is_not_shifted_by_newer_traces() {
    let app = TestApp::new();
    let created = create_many(&app, 4).await;
    let first = app.get("/traces?limit=2").await;
    let next = first.next_page().unwrap();
    create_many(&app, 3).await;
    let second = app.send(Method::GET, &next, None, &[]).await;
    assert_eq!(ids_of(second), created[2..]);
}

#[tokio::test]
async fn links_keep_the_filters() {
    let app = TestApp::new();
    let shop = app.project("shop/ä 1");
    let mut wanted = Vec::new();
    for number in 0..6 {
        let mut body = run("Refund an order");
        body["model"] = json!(if number % 2 == 0 { "gpt 5/ä" } else { "other" });
        let trace_id = shop.create(body).await;
        if number % 2 == 0 {
            wanted.insert(0, trace_id);
        }
    }
    let path = "/traces?model=gpt%205%2F%C3%A4&review_status=pending&limit=1&view=summary";
    let pages = walk(&shop, path).await;
    assert_eq!(pages.concat(), wanted);
    assert_eq!(pages.len(), 3);
}

#[tokio::test]
async fn filters_pick_what_they_say() {
    let app = TestApp::new();
    let passed = text(&app.reviewed_trace(Outcome::Pass).await["id"]);
    let failed = text(&app.reviewed_trace(Outcome::Fail).await["id"]);
    let before = text(&app.trace(&failed).await["created_at"]);
    app.clock.turn_seconds(10);
    let mut body = run("Refund an order");
    body["review"] = json!({"result": "pass"});
    let queued = app.create(body).await;
    let pending = app.create(run("Refund an order")).await;
    let since = text(&app.trace(&queued).await["created_at"]);
    let cases = [
        ("review_status=pending".to_owned(), vec![&pending, &queued]),
        ("review_status=reviewed".to_owned(), vec![&failed, &passed]),
        ("ingest_status=queued".to_owned(), vec![&queued]),
        ("ingest_status=completed".to_owned(), vec![&pending, &failed, &passed]),
        ("ingest_status=failed".to_owned(), vec![]),
        ("result=pass".to_owned(), vec![&queued, &passed]),
        ("result=pass&review_status=reviewed".to_owned(), vec![&passed]),
        (format!("since={since}"), vec![&pending, &queued]),
        (format!("until={since}"), vec![&failed, &passed]),
        (format!("since={before}&until={since}"), vec![&failed]),
        ("model=none".to_owned(), vec![]),
    ];
    for (filter, expected) in cases {
        for paging in ["", "&limit=10"] {
            let found = ids_of(app.get(&format!("/traces?{filter}{paging}")).await);
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter}{paging}");
        }
    }
}

#[tokio::test]
async fn a_summary_leaves_the_trajectory_out() {
    let app = TestApp::new();
    let trace_id = app.create(run("Refund an order")).await;
    for path in ["/traces?view=summary", "/traces?view=summary&limit=1"] {
        let listed = app.get(path).await.ok();
        let mut whole = app.trace(&trace_id).await;
        whole.as_object_mut().unwrap().remove("trajectory");
        assert_eq!(listed, json!([whole]));
    }
    let full = app.get("/traces?view=full").await.ok();
    assert_eq!(full, json!([app.trace(&trace_id).await]));
}

#[tokio::test]
async fn a_whole_list_comes_in_many_pieces() {
    let app = TestApp::new();
    for total in [200, 201, 401] {
        let client = app.project(&format!("of {total}"));
        let created = create_many(&client, total).await;
        let answer = client.get("/traces?view=summary").await;
        assert_eq!(answer.next_page(), None);
        assert_eq!(ids_of(answer), created);
    }
}

#[tokio::test]
async fn a_whole_list_ends_at_the_cap_and_leads_on() {
    let setup = Setup { limits: Limits { unpaged_list: 3, ..Limits::default() }, ..Setup::default() };
    let app = setup.start();
    let created = create_many(&app, 3).await;
    let pages = walk(&app, "/traces").await;
    assert_eq!((pages.len(), &pages[0]), (1, &created), "exactly the cap is all");
    let more = create_many(&app, 4).await;
    let pages = walk(&app, "/traces?review_status=pending").await;
    let sizes: Vec<usize> = pages.iter().map(Vec::len).collect();
    assert_eq!(sizes, [3, 3, 1]);
    assert_eq!(pages.concat(), [more, created].concat());
}

#[tokio::test]
async fn a_bad_list_is_refused() {
    let app = TestApp::new();
    app.get("/traces?limit=0").await.assert_invalid("limit");
    app.get("/traces?limit=1001").await.assert_invalid("limit");
    app.get("/traces?cursor=nonsense").await.assert_invalid("cursor");
    app.get("/traces?view=short").await.assert_invalid("view");
    for query in ["review_status=lost", "since=yesterday", "limit=x", "result=success"] {
        let answer = app.get(&format!("/traces?{query}")).await.assert_code("invalid_request");
        let message = answer.json["error"]["message"].as_str().unwrap();
        let (field, _) = query.split_once('=').unwrap();
        assert!(message.contains(field), "{message}");
    }
    let _: Value = app.get("/traces?unknown=1").await.ok();
}

/// The headers of a page go out before its body is read. What comes in between belongs to neither this page nor the next.
#[tokio::test]
async fn a_trace_that_comes_in_meanwhile_leaves_no_gap_between_pages() {
    let app = TestApp::new();
    let known = create_many(&app, 4).await;
    let request =
        Request::get(app.in_project("/traces?limit=2")).header("authorization", format!("Bearer {}", app.key));
    let response = app.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    create_many(&app, 1).await;
    let answer = Answer::read(response).await;
    let link = answer.headers["link"].to_str().unwrap().to_owned();
    assert_eq!(ids_of(answer), known[..2]);
    assert!(link.contains(&format!("cursor={}", known[1])), "{link}");
}

#[tokio::test]
async fn a_list_of_large_traces_comes_in_pieces() {
    let app = TestApp::new();
    let mut large = run("x");
    large["final_response"] = json!("y".repeat(600_000));
    let mut created = Vec::new();
    for _ in 0..7 {
        created.insert(0, app.create(large.clone()).await);
    }
    let request = Request::get(app.in_project("/traces")).header("authorization", format!("Bearer {}", app.key));
    let response = app.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut pieces = response.into_body().into_data_stream();
    let mut whole = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.unwrap();
        assert!(piece.len() < 1_700_000, "{} bytes were held at once", piece.len());
        whole.extend_from_slice(&piece);
    }
    let traces: Vec<Value> = serde_json::from_slice(&whole).unwrap();
    assert_eq!(ids(&traces), created);
}

//! What it does with an endpoint that does not do as it should.

use std::time::Duration;

use reflect_core::Secret;
use reflect_embed::{Embedder, HttpEmbedderSettings};
use serde_json::{Value, json};

use crate::http::endpoint::{Endpoint, Step, embedder};

const BUSY: &[(&str, &str)] = &[("retry-after", "1")];

fn status(status: u16) -> Step {
    Step::Answer(status, &[], json!({"error": {"message": "not now."}}).to_string())
}

/// What is said when a server follows these steps, and how often it was asked.
async fn refusal(steps: Vec<Step>) -> (String, usize) {
    let endpoint = Endpoint::start(steps).await;
    let settings = HttpEmbedderSettings { attempts: 2, key: Some(Secret::new("sk-hunter2")), ..endpoint.settings() };
    let refused = embedder(settings).embed(&["Refund an order"]).await.unwrap_err().to_string();
    assert!(refused.starts_with("`http:small-model:256`: "), "{refused}");
    assert!(!refused.contains("hunter2") && !refused.contains("127.0.0.1"), "{refused}");
    (refused, endpoint.seen().len())
}

#[tokio::test]
async fn what_fails_in_passing_is_tried_again() {
    for fault in [status(429), status(500), status(503), status(408), Step::Hang, Step::Cut] {
        let endpoint = Endpoint::start([fault]).await;
        endpoint.embedder().embed(&["Refund an order"]).await.unwrap();
        assert_eq!(endpoint.seen().len(), 2);
    }
}

#[tokio::test]
async fn the_endpoint_says_how_long_to_wait() {
    let endpoint = Endpoint::start([Step::Answer(429, BUSY, String::new())]).await;
    endpoint.embedder().embed(&["Refund an order"]).await.unwrap();
    let seen = endpoint.seen();
    assert!(seen[1].at - seen[0].at >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_not_waited() {
    const ASKED: &[(&[(&str, &str)], u64)] = &[
        (&[("retry-after", "3600")], 3_600),
        (&[("retry-after", "Sun, 15 Nov 2026 12:01:00 GMT")], 60),
        (&[("retry-after", "9000000000000000000")], 365 * 86_400),
    ];
    for (headers, seconds) in ASKED {
        let said = refusal(vec![Step::Answer(503, headers, String::new())]).await;
        let end = format!("it answered 503 (tried once, and it asks to wait {seconds} s)");
        assert!(said.0.ends_with(&end), "{said:?}");
        assert_eq!(said.1, 1);
    }
}

#[tokio::test]
async fn it_gives_up_after_its_attempts() {
    let said = refusal(vec![status(500), status(502)]).await;
    assert!(said.0.ends_with("it answered 502: not now (tried 2 times)"), "{said:?}");
    let said = refusal(vec![Step::Hang, Step::Hang]).await;
    assert!(said.0.ends_with("no answer in time (tried 2 times)"), "{said:?}");
    let said = refusal(vec![Step::Cut, Step::Cut]).await;
    // Whether the head of the answer got out before the end came is a matter of luck.
    assert!(said.0.contains("its answer was cut off") || said.0.contains("connection closed"), "{said:?}");
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    for (code, says) in [
        (401, "it answered 401: not now; check its key"),
        (403, "it answered 403: not now; check its key"),
        (404, "it answered 404: not now; check its URL and the model's name"),
        (400, "it answered 400: not now"),
        (301, "it answered 301: not now; give the URL that it leads to"),
        (204, "it answered 204"),
    ] {
        let said = refusal(vec![status(code)]).await;
        assert!(said.0.contains(says), "{said:?}");
        assert_eq!(said.1, 1);
    }
}

#[tokio::test]
async fn a_wrong_answer_is_refused_and_says_why() {
    fn drop_one(answer: &mut Value) {
        answer["data"] = json!([]);
    }
    fn shorten(answer: &mut Value) {
        answer["data"][0]["embedding"].as_array_mut().unwrap().pop();
    }
    fn break_number(answer: &mut Value) {
        answer["data"][0]["embedding"][3] = Value::Null;
    }
    fn flatten(answer: &mut Value) {
        answer["data"][0]["embedding"] = json!(vec![0.0; 256]);
    }
    for (change, says) in [
        (drop_one as fn(&mut Value), "it answered 0 vectors to 1 texts"),
        (shorten, "its vectors have 255 dimensions, and 256 are expected"),
        (break_number, "its answer holds no embeddings"),
        (flatten, "a vector has length zero"),
    ] {
        let said = refusal(vec![Step::Change(change)]).await;
        assert!(said.0.contains(says), "{said:?}");
        assert_eq!(said.1, 1);
    }
}

#[tokio::test]
async fn a_page_instead_of_json_is_refused() {
    let page = "<html><body>Welcome to the proxy</body></html>".to_owned();
    let said = refusal(vec![Step::Answer(200, &[("content-type", "text/html")], page.clone())]).await;
    assert!(said.0.contains("its answer holds no embeddings"), "{said:?}");
    let said = refusal(vec![Step::Answer(403, &[("content-type", "text/html")], page)]).await;
    assert!(said.0.ends_with("it answered 403; check its key"), "{said:?}");
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read_to_it() {
    let said = refusal(vec![Step::Endless]).await;
    assert!(said.0.contains("its answer has more than"), "{said:?}");
    assert_eq!(said.1, 1);
}

#[tokio::test]
async fn a_key_that_the_endpoint_repeats_is_blotted_out() {
    let body = json!({"error": {"message": "wrong key: sk-hunter2"}}).to_string();
    let said = refusal(vec![Step::Answer(401, &[], body)]).await;
    assert!(said.0.contains("wrong key: ****"), "{said:?}");
}

#[tokio::test]
async fn nobody_at_home_is_said_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let settings = HttpEmbedderSettings { attempts: 2, ..HttpEmbedderSettings::new(&base_url, "small-model", 8) };
    let refused = embedder(settings).embed(&["Refund an order"]).await.unwrap_err().to_string();
    assert!(refused.contains("it could not be asked") && refused.contains("tried 2 times"), "{refused}");
}

#[tokio::test]
async fn requests_wait_for_their_turn() {
    let endpoint = Endpoint::start([Step::Hang, Step::Hang]).await;
    let settings = HttpEmbedderSettings { concurrency: 1, attempts: 2, ..endpoint.settings() };
    let embedder = embedder(settings);
    let (first, second) = tokio::join!(embedder.embed(&["Refund an order"]), embedder.embed(&["Ship an order"]));
    first.unwrap_err();
    second.unwrap();
    let texts: Vec<Vec<String>> = endpoint.seen().iter().map(|seen| seen.texts()).collect();
    assert_eq!(texts, [["Refund an order"], ["Refund an order"], ["Ship an order"]]);
}

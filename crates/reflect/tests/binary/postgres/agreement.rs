//! What servers over one database agree on.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{MASTER_KEY, PROJECT, Postgres, client};
use crate::server_process::{ServerProcess, eventually};

/// How soon one server heeds what another has changed.
const SOON: Duration = Duration::from_secs(1);

struct Two {
    one: ServerProcess,
    other: ServerProcess,
    // Dropped last.
    _postgres: Postgres,
}

fn two(arguments_of_one: &[&str]) -> Two {
    let postgres = Postgres::start();
    let (one, other) = (postgres.server(arguments_of_one), postgres.server(&[]));
    Two { one, other, _postgres: postgres }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_query_anywhere_finds_every_lesson_that_was_reported_as_reviewed() {
    let two = two(&[]);
    let clients = [client(&two.one), client(&two.other)];
    for number in 0..40 {
        let (here, there) = (&clients[number % 2], &clients[(number + 1) % 2]);
        let task = format!("paint house number {number}");
        let created = here.post(&format!("{PROJECT}/traces"), &json!({"task": task, "trajectory": []})).unwrap().good();
        let review = format!("{PROJECT}/traces/{}/review", created["trace_id"].as_str().unwrap());
        let reviewed = here.post(&review, &json!({"result": "fail", "feedback_text": "wrong colour"})).unwrap().good();
        assert_eq!(reviewed["review_status"], "reviewed");
        let query = json!({"task": task, "limit": 1, "lambda": 0.0, "similarity_threshold": -1.0});
        let found = there.post(&format!("{PROJECT}/memory/query"), &query).unwrap().good();
        assert_eq!(found[0]["id"], reviewed["created_memory_id"], "{found}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn keys_sessions_settings_and_deleted_projects_are_heeded_within_a_second() {
    let two = two(&[]);
    let (one, other) = (client(&two.one), client(&two.other));
    let created = one
        .post(&format!("{PROJECT}/api-keys"), &json!({"label": "k", "scopes": ["trace:read", "memory:read"]}))
        .unwrap()
        .good();
    let key = two.other.client_with(created["api_key"].as_str().unwrap());
    assert_eq!(key.get(&format!("{PROJECT}/traces")).unwrap().status, 200);
    one.post(&format!("{PROJECT}/api-keys/{}/revoke", created["key"]["id"].as_str().unwrap()), &json!({}))
        .unwrap()
        .good();
    soon(|| key.get(&format!("{PROJECT}/traces")).unwrap().status == 401);

    let session = one.post("/v1/sign-in", &json!({})).unwrap().good();
    let [here, there] = [&two.one, &two.other].map(|server| server.client_with(session["api_key"].as_str().unwrap()));
    assert_eq!((here.get("/v1/session").unwrap().status, there.get("/v1/session").unwrap().status), (200, 200));
    // It answers 204, without any JSON.
    let _ = there.delete("/v1/session");
    soon(|| here.get("/v1/session").unwrap().status == 401);

    let settings = format!("{PROJECT}/settings");
    assert_eq!(other.get(&settings).unwrap().good()["lambda"], Value::Null);
    one.patch(&settings, &json!({"lambda": 0.25})).unwrap().good();
    soon(|| other.get(&settings).unwrap().good()["lambda"] == 0.25);

    let held = one.post(&format!("{PROJECT}/traces"), &json!({"task": "t", "trajectory": []})).unwrap().good();
    let trace = format!("{PROJECT}/traces/{}", held["trace_id"].as_str().unwrap());
    assert_eq!(other.get(&trace).unwrap().status, 200);
    one.delete(PROJECT).unwrap().good();
    soon(|| matches!(other.get(&trace).unwrap().status, 404 | 503));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_review_is_answered_where_it_was_sent_whoever_writes_its_lesson() {
    // Its one worker never ends with the first lesson, so that the other server writes the second.
    let two = two(&["--workers", "1", "--fault-reflector", "hang", "--review-deadline", "30"]);
    let one = client(&two.one);
    let create = |task: &str, review: Value| {
        one.post(&format!("{PROJECT}/traces"), &json!({"task": task, "trajectory": [], "review": review}))
            .unwrap()
            .good()
    };
    let pending = create("second", Value::Null)["trace_id"].as_str().unwrap().to_owned();
    eventually("the worker hangs", || {
        let hanging = create("first", json!({"result": "pass"}));
        let path = format!("{PROJECT}/traces/{}", hanging["trace_id"].as_str().unwrap());
        std::thread::sleep(Duration::from_millis(300));
        (one.get(&path).unwrap().good()["ingest_status"] == "processing").then_some(())
    });
    let began = Instant::now();
    let reviewed = one.post(&format!("{PROJECT}/traces/{pending}/review"), &json!({"result": "pass"})).unwrap();
    assert_eq!((reviewed.status, &reviewed.body["review_status"]), (200, &"reviewed".into()), "{reviewed:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn whoever_watches_a_project_on_one_server_sees_what_changes_on_the_other() {
    let two = two(&[]);
    let (one, other) = (client(&two.one), client(&two.other));
    one.get(&format!("{PROJECT}/traces")).unwrap().good();
    let mut events = watch(&two.one);
    other.post(&format!("{PROJECT}/traces"), &json!({"task": "t", "trajectory": []})).unwrap().good();
    let began = Instant::now();
    let changed = events.find(|line| line.starts_with("data: ")).unwrap();
    let changed: Value = serde_json::from_str(changed.trim_start_matches("data: ")).unwrap();
    assert_eq!(changed["traces"], true, "{changed}");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
}

/// The lines of a stream of events, once it has begun.
fn watch(server: &ServerProcess) -> impl Iterator<Item = String> + use<> {
    let address = server.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head =
        format!("GET {PROJECT}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {MASTER_KEY}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with(": watching")));
    lines
}

/// Waits until it is so, which must be soon.
#[track_caller]
fn soon(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < SOON, "it took longer than {SOON:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

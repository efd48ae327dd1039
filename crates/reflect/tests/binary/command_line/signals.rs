//! The end, when it is asked for politely.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::server_process::{ServerProcess, eventually, serve};

const TRACES: &str = "/v1/projects/default/traces";

#[test]
fn sigterm_and_ctrl_c_end_well() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let server = ServerProcess::start(folder.path());
        let http = server.client();
        let body = json!({"task": "find the report", "trajectory": "looked", "review": {"result": "pass"}});
        http.post(TRACES, &body).unwrap().good();
        let asked = Instant::now();
        let (status, log) = server.stop(signal);
        assert_eq!(status.code(), Some(0), "{signal}: {log}");
        // A client that keeps its connection open but says nothing holds nothing up.
        assert!(asked.elapsed() < Duration::from_secs(20), "{signal} took {:?}", asked.elapsed());
        drop(http);
    }
}

/// People back up "the one SQLite file". After a clean stop that file has everything, and nothing lies beside it.
#[test]
fn after_a_clean_stop_the_database_file_alone_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let body = json!({"task": "find the report", "trajectory": "looked", "review": {"result": "pass"}});
    let created = server.client().post(TRACES, &body).unwrap().good();
    let (status, log) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "{log}");
    for beside in ["reflect.db-wal", "reflect.db-shm"] {
        assert!(!folder.path().join(beside).exists(), "`{beside}` was left");
    }

    let copy = tempfile::tempdir().unwrap();
    for file in ["reflect.db", "master.key"] {
        std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let server = ServerProcess::start(copy.path());
    let trace = server.client().get(&format!("{TRACES}/{}", created["trace_id"].as_str().unwrap())).unwrap().good();
    assert_eq!(trace["task"], "find the report");
}

/// A lesson that takes for ever is given back, uncounted, and written by the next process.
#[test]
fn leases_are_given_back_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    let server = ServerProcess::start_with(folder.path(), command.args(["--fault-reflector", "hang"]));
    let http = server.client();
    let body = json!({"task": "find the report", "trajectory": "looked", "review": {"result": "pass"}});
    let created = http.post(TRACES, &body).unwrap().good();
    let trace = format!("{TRACES}/{}", created["trace_id"].as_str().unwrap());
    eventually("the lesson is in work", || {
        (http.get(&trace).unwrap().good()["ingest_status"] == "processing").then_some(())
    });
    let (status, log) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "{log}");

    let server = ServerProcess::start(folder.path());
    assert!(server.said.is_empty());
    let http = server.client();
    let written = eventually("the lesson is written", || {
        let trace = http.get(&trace).unwrap().good();
        (trace["review_status"] == "reviewed").then_some(trace)
    });
    assert_eq!((&written["ingest_status"], &written["ingest_attempts"]), (&json!("completed"), &json!(1)));
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    // The review waits these two seconds for a lesson that never comes.
    let server =
        ServerProcess::start_with(folder.path(), command.args(["--fault-reflector", "hang", "--review-deadline", "2"]));
    let http = server.client();
    let created = http.post(TRACES, &json!({"task": "find", "trajectory": "looked"})).unwrap().good();
    let trace = format!("{TRACES}/{}", created["trace_id"].as_str().unwrap());
    let reviewed = std::thread::spawn({
        let (http, path) = (http.clone(), format!("{trace}/review"));
        move || http.post(&path, &json!({"result": "pass"}))
    });
    eventually("the review is in work", || {
        (http.get(&trace).unwrap().good()["ingest_status"] == "processing").then_some(())
    });
    let (status, log) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "{log}");
    let answer = reviewed.join().unwrap().expect("an answer, not a broken connection");
    assert_eq!((answer.status, &answer.body["review"]["result"]), (202, &json!("pass")));
}

//! What is broken on purpose, one thing at a time.

use std::{
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::Command,
    time::Duration,
};

use serde_json::json;

use super::{Report, of_folder};
use crate::server_process::{ServerProcess, eventually, reflect, run, serve};

/// A server of one's own in a new folder.
fn server(prepare: impl FnOnce(&mut Command)) -> (tempfile::TempDir, ServerProcess) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    prepare(&mut command);
    let server = ServerProcess::start_with(folder.path(), &mut command);
    (folder, server)
}

/// Something that answers every request with the same, until the test ends.
fn stand_in(status: &str, headers: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            // What is asked does not matter, as long as it was read.
            let _ = connection.set_read_timeout(Some(Duration::from_millis(200)));
            let _ = connection.read(&mut [0; 65_536]);
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    url
}

fn create_key(data: &Path, more: &[&str]) -> String {
    let key = run(reflect().args(["keys", "create", "--data"]).arg(data).args(more)).succeeded();
    key.trim().to_owned()
}

#[test]
fn nobody_listens() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    Report::of_url(&format!("http://{unused}"), "rf_live_a_b", &[])
        .blames("reachable", &["nobody answers", "reflect serve"]);
}

#[test]
fn another_program_listens() {
    let url = stand_in("200 OK", "content-type: text/html\r\n", "<h1>It works!</h1>");
    Report::of_url(&url, "rf_live_a_b", &[]).blames("reachable", &["no Reflect server", "URL"]);
}

#[test]
fn a_clock_is_an_hour_off() {
    let url = stand_in(
        "200 OK",
        "content-type: application/json\r\ndate: Mon, 16 Nov 2020 08:00:00 GMT\r\n",
        r#"{"status": "ok", "version": "0.1.0"}"#,
    );
    let report = Report::of_url(&url, "rf_live_a_b", &[]);
    let clock = report.check("clock");
    assert_eq!(clock["status"], "failed");
    assert!(clock["message"].as_str().unwrap().contains("s behind this machine's"), "{clock}");
    assert!(clock["remedy"].as_str().unwrap().contains("NTP"), "{clock}");
}

#[test]
fn no_key_was_given() {
    let (_folder, server) = server(|_| {});
    let report = Report::of(reflect().args(["doctor", "--url", &server.url]));
    report.blames("key", &["no key", "REFLECT_API_KEY", "reflect keys create"]);
}

#[test]
fn the_key_is_wrong() {
    let (_folder, server) = server(|_| {});
    let report = Report::of_url(&server.url, "rf_live_nobody_0123456789abcdef", &[]);
    report.blames("key", &["unauthorized", "reflect keys create"]);
    assert_eq!(report.check("round")["status"], "skipped");
}

#[test]
fn the_key_was_revoked_or_its_time_is_over() {
    let (folder, server) = server(|_| {});
    let (revoked, over) = (create_key(folder.path(), &[]), create_key(folder.path(), &["--expires-in", "1s"]));
    run(reflect().args(["keys", "revoke", &revoked, "--data"]).arg(folder.path())).succeeded();
    Report::of_url(&server.url, &revoked, &[]).blames("key", &["revoked", "reflect keys create"]);
    eventually("the key's time is over", || {
        (server.client_with(&over).get("/v1/projects").unwrap().status == 401).then_some(())
    });
    Report::of_url(&server.url, &over, &[]).blames("key", &["expired", "reflect keys create"]);
}

#[test]
fn the_key_may_not_write() {
    let (folder, server) = server(|_| {});
    let reader = create_key(folder.path(), &["--scope", "memory:read"]);
    Report::of_url(&server.url, &reader, &[]).blames("scopes", &["trace:write", "--scope"]);
}

#[test]
fn the_key_is_another_projects() {
    let (folder, server) = server(|_| {});
    let key = create_key(folder.path(), &["--project", "shop"]);
    let report = Report::of_url(&server.url, &key, &["--project", "support"]);
    report.blames("key", &["`shop`", "`support`", "--project shop"]);
}

#[test]
fn the_database_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    drop(ServerProcess::start(folder.path()));
    std::fs::write(folder.path().join("reflect.db"), "").unwrap();
    of_folder(folder.path()).blames("server", &["does not start", "is empty or missing", "backup"]);
}

#[test]
fn lessons_cannot_be_written() {
    let (_folder, server) = server(|command| {
        command.env("REFLECT_FAULT_REFLECTOR", "permanent");
    });
    Report::of_server(&server).blames("lesson", &["no lesson could be written", "fault injected"]);
}

#[test]
fn whoever_writes_lessons_hangs() {
    let (_folder, server) = server(|command| {
        command.env("REFLECT_FAULT_REFLECTOR", "hang").env("REFLECT_REVIEW_DEADLINE", "1");
    });
    Report::of_server(&server).blames("lesson", &["no lesson was written in time", "reflect_queue_depth"]);
}

#[test]
fn the_provider_of_the_model_refuses() {
    let body = json!({"error": {"message": "Incorrect API key provided"}}).to_string();
    let provider = stand_in("401 Unauthorized", "content-type: application/json\r\n", &body);
    let (_folder, server) = server(|command| {
        command.env("REFLECT_LLM", "openai/tester").env("REFLECT_OPENAI_API_KEY", "sk-wrong");
        command.env("REFLECT_OPENAI_BASE_URL", format!("{provider}/v1"));
    });
    Report::of_server(&server).blames("lesson", &["openai/tester", "Incorrect API key provided", "provider's key"]);
    // By now the server knows by itself.
    let report = Report::of_server(&server);
    assert!(report.failed().iter().any(|name| ["models", "lesson"].contains(name)), "{:#}", report.document);
}

#[test]
fn the_judge_does_not_answer() {
    let body = json!({"error": {"message": "The model `gone` does not exist"}}).to_string();
    let provider = stand_in("404 Not Found", "content-type: application/json\r\n", &body);
    let (_folder, server) = server(|command| {
        command.env("REFLECT_JUDGE", "openai/gone").env("REFLECT_OPENAI_API_KEY", "sk-right");
        command.env("REFLECT_OPENAI_BASE_URL", format!("{provider}/v1"));
    });
    Report::of_server(&server).blames("judge", &["openai/gone", "does not exist"]);
}

#[test]
fn the_embedder_makes_no_vectors() {
    let endpoint = stand_in("503 Service Unavailable", "", "");
    let (_folder, server) = server(|command| {
        command.env("REFLECT_EMBEDDER", "http/broken").env("REFLECT_EMBEDDER_URL", format!("{endpoint}/v1"));
        command.env("REFLECT_EMBEDDER_DIMENSION", "8");
    });
    Report::of_server(&server).blames("embedder", &["http:broken:8", "makes no vectors", "endpoint runs"]);
}

#[test]
fn the_floor_on_similarity_is_too_high() {
    let (_folder, server) = server(|command| {
        command.env("REFLECT_SIMILARITY_THRESHOLD", "0.99");
    });
    Report::of_server(&server).blames("retrieval", &["below the floor", "similarity_threshold"]);
}

#[test]
fn nothing_is_learned_from_reviews() {
    let (_folder, server) = server(|command| {
        command.env("REFLECT_ALPHA", "0");
    });
    Report::of_server(&server).blames("credit", &["did not move", "alpha"]);
}

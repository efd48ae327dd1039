//! Clients that take up connections and descriptors of the real process, and what everybody else experiences.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::server_process::{ServerProcess, serve};

const TRACES: &str = "/v1/projects/default/traces";

fn connect(server: &ServerProcess, says: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.write_all(says.as_bytes()).unwrap();
    stream
}

/// A client that keeps its connections must never find one closed under it without having been told.
#[test]
fn a_pool_of_connections_survives_refusals() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let http = server.client();
    let stranger = server.client_with("rf_live_nobody_0000");
    let run = json!({"task": "find", "trajectory": "looked", "final_response": "x".repeat(50_000)});
    let too_large = json!({"task": "find", "trajectory": "looked", "final_response": "x".repeat(9 << 20)});
    for _ in 0..20 {
        assert_eq!(stranger.post(TRACES, &run).expect("an answer").status, 401);
        assert_eq!(http.post("/v1/projects/default/traces/none/review", &run).expect("an answer").status, 404);
        assert_eq!(http.post("/v1/nothing", &run).expect("an answer").status, 404);
        assert_eq!(http.patch(TRACES, &run).expect("an answer").status, 405);
        http.post(TRACES, &json!({"task": "find", "trajectory": "looked"})).expect("an answer").good();
    }
    assert_eq!(http.post(TRACES, &too_large).expect("an answer").status, 413);
    http.get("/health").expect("an answer").good();
}

/// The process has a handful of descriptors left, and somebody takes them all.
#[test]
fn without_descriptors_who_dawdles_makes_room_and_the_log_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    server.client().get("/health").unwrap().good();
    let open = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count() as u64;
    let few = Rlimit { current: Some(open + 10), maximum: Some(open + 10) };
    prlimit(Pid::from_raw(server.pid().cast_signed()), Resource::Nofile, few).unwrap();
    let _crowd: Vec<TcpStream> = (0..100).map(|_| connect(&server, "GET /hea")).collect();
    let asked = Instant::now();
    server.client().post(TRACES, &json!({"task": "find", "trajectory": "looked"})).expect("an answer").good();
    assert!(asked.elapsed() < Duration::from_secs(30), "it took {:?}", asked.elapsed());
    let (status, log) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(log.matches("no connection can be accepted").count(), 1, "{log}");
}

#[test]
fn the_limit_stays_below_what_the_system_gives() {
    let folder = tempfile::tempdir().unwrap();
    let command = serve(folder.path());
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -n 120; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    let server = ServerProcess::start_with(folder.path(), &mut limited);
    let _crowd: Vec<TcpStream> = (0..300).map(|_| connect(&server, "GET /hea")).collect();
    server.client().post(TRACES, &json!({"task": "find", "trajectory": "looked"})).expect("an answer").good();
    let (_, log) = server.stop("-TERM");
    assert!(log.contains("too few file descriptors") && !log.contains("no connection can be accepted"), "{log}");
}

#[test]
fn sigterm_ends_the_process_within_ten_seconds_whoever_dawdles() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    let server = ServerProcess::start_with(folder.path(), command.args(["--fault-reflector", "hang"]));
    let reviewed = json!({"task": "find", "trajectory": "looked", "review": {"result": "pass"}});
    server.client().post(TRACES, &reviewed).unwrap().good();
    let body = format!(
        "POST {TRACES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 1000\r\n\r\n{{",
        server.key()
    );
    let mut crowd: Vec<TcpStream> = (0..10).map(|_| connect(&server, "GET /hea")).collect();
    crowd.extend((0..10).map(|_| connect(&server, &body)));
    let mut answered = connect(&server, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    answered.read_exact(&mut [0; 12]).unwrap();
    let asked = Instant::now();
    let (status, log) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
}

//! Rate limits as clients of one server feel them, and `reflect stats`.

use std::{
    sync::{
        RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    http::Http,
    server_process::{ServerProcess, reflect, run, serve},
};

/// How often either is measured, in turns, so that both meet the same machine …
const TURNS: usize = 30;

/// … and how many requests are timed each time.
const TIMED: usize = 10;

/// How many requests a key has at once: more than are timed.
const BURST: usize = 400;

/// Whatever the machine does besides, this is not felt as a stall.
const UNNOTICED: Duration = Duration::from_millis(50);

fn key(master: &Http, label: &str) -> String {
    let wish = json!({"label": label, "scopes": ["memory:read", "trace:read"]});
    let created = master.post("/v1/projects/shop/api-keys", &wish).unwrap().good();
    created["api_key"].as_str().unwrap().to_owned()
}

/// How long some requests take, one after the other. Every one must be answered.
fn time(http: &Http) -> impl Iterator<Item = Duration> {
    (0..TIMED).map(|_| {
        let start = Instant::now();
        http.get("/v1/projects/shop/traces?limit=1").unwrap().good();
        start.elapsed()
    })
}

/// The 99th of a hundred.
fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}

#[test]
fn a_key_over_its_limit_does_not_hurt_its_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    command.args(["--key-rate", "1", "--key-burst", &BURST.to_string(), "--embedder", "hashing"]);
    let server = ServerProcess::start_with(folder.path(), &mut command);
    // A key of its own for each measurement, since neither may come to its limit.
    let [alone, neighbour, greedy] = ["alone", "neighbour", "greedy"].map(|label| key(&server.client(), label));
    let is_refused = |http: &Http| http.get("/v1/projects/shop/traces?limit=1").unwrap().code() == "rate_limited";
    let spender = server.client_with(&greedy);
    assert!((0..3 * BURST).any(|_| is_refused(&spender)), "the greedy key never came to its limit");
    let (stop, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    // Whoever has it to himself keeps the greedy key quiet.
    let quiet = RwLock::new(());
    let (idle, busy) = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let http = server.client_with(&greedy);
                while !stop.load(Ordering::Relaxed) {
                    let _not_quiet = quiet.read().unwrap();
                    refused.fetch_add(usize::from(is_refused(&http)), Ordering::Relaxed);
                }
            });
        }
        let (alone, neighbour) = (server.client_with(&alone), server.client_with(&neighbour));
        let (mut idle, mut busy) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            let is_quiet = quiet.write().unwrap();
            idle.extend(time(&alone));
            drop(is_quiet);
            busy.extend(time(&neighbour));
        }
        stop.store(true, Ordering::Relaxed);
        (p99(idle), p99(busy))
    });
    let refused = refused.into_inner();
    eprintln!("p99 of a neighbour: {idle:?} alone, {busy:?} beside a key that was refused {refused} times");
    assert!(refused > 0, "the greedy key was not refused beside its neighbour");
    assert!(busy <= (2 * idle).max(UNNOTICED), "{busy:?} beside a greedy key, {idle:?} without");
}

#[test]
fn stats_say_what_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(folder.path(), serve(folder.path()).args(["--embedder", "hashing"]));
    let body = json!({"task": "refund", "trajectory": [{"role": "user", "content": "x".repeat(100_000)}],
                      "review": {"result": "pass", "reflection": {"summary": "s"}}});
    server.client().post("/v1/projects/shop/traces", &body).unwrap().good();
    let said = run(reflect().args(["stats", "--data"]).arg(folder.path())).succeeded();
    assert!(said.starts_with("project") && said.contains("1 (100.") && said.contains("in the database"), "{said}");
    let said = run(reflect().args(["stats", "--json", "--data"]).arg(folder.path())).succeeded();
    let sizes: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(sizes["projects"]["shop"]["memories"]["rows"], 1);
    assert!(sizes["projects"]["shop"]["traces"]["bytes"].as_u64().unwrap() > 100_000, "{said}");
}

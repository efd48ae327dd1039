//! A database that goes away, or takes no writes, and comes back.

use serde_json::{Value, json};

use super::{PROJECT, Postgres, client};
use crate::{
    http::{Answer, Http},
    server_process::{eventually, run},
};

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_database_that_is_gone_gives_503_and_what_was_acknowledged_is_there_when_it_is_back() {
    let mut postgres = Postgres::start();
    // What is worked on when the database goes falls due with its lease, 30 s after the attempt would have ended.
    let server = postgres.server(&["--attempt-timeout", "5"]);
    let http = client(&server);
    let mut acknowledged = vec![trace_id(create(&http, 0))];
    for round in 1..4 {
        postgres.tell("stop");
        assert_unavailable(&create(&http, 100 * round));
        assert_unavailable(&query(&http));
        assert_unavailable(&http.get(&format!("{PROJECT}/traces")).unwrap());
        eventually("the server is not ready", || {
            let ready = http.get("/ready").unwrap();
            (ready.status == 503 && ready.body["store"] == "unavailable").then_some(())
        });
        assert_eq!(http.get("/health").unwrap().status, 200);
        postgres.tell("start");
        let healed =
            eventually("creates work again", || Some(create(&http, round)).filter(|answer| answer.status == 200));
        acknowledged.push(trace_id(healed));
        eventually("the server is ready again", || (http.get("/ready").unwrap().status == 200).then_some(()));
        assert_eq!(query(&http).status, 200);
        for trace_id in &acknowledged {
            eventually("every lesson is written", || {
                let trace = http.get(&format!("{PROJECT}/traces/{trace_id}")).unwrap().good();
                (trace["review_status"] == "reviewed").then_some(())
            });
        }
    }
    let (status, log) = server.stop("-TERM");
    assert!(status.success() && !log.contains("panicked"), "{log}");
}

/// How many traces each worker gets stored in a round, however often it has to ask.
const STORED: usize = 40;

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_restart_under_load_loses_no_acknowledgement() {
    let mut postgres = Postgres::start();
    let server = postgres.server(&[]);
    let http = client(&server);
    trace_id(create(&http, 0));
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for round in 1..6 {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|worker| {
                    let http = http.clone();
                    scope.spawn(move || {
                        let (mut answers, mut stored) = (Vec::new(), 0);
                        while stored < STORED {
                            let answer = create(&http, 10_000 * round + 100 * worker + stored);
                            stored += usize::from(answer.status == 200);
                            answers.push(answer);
                        }
                        answers
                    })
                })
                .collect();
            postgres.tell("restart");
            for answer in workers.into_iter().flat_map(|worker| worker.join().unwrap()) {
                match answer.status {
                    200 => acknowledged.push(trace_id(answer)),
                    _ => {
                        assert_unavailable(&answer);
                        refused += 1;
                    }
                }
            }
        });
        eventually("creates work again", || (create(&http, round).status == 200).then_some(()));
    }
    for trace_id in &acknowledged {
        assert_eq!(http.get(&format!("{PROJECT}/traces/{trace_id}")).unwrap().status, 200, "{trace_id} is lost");
    }
    eprintln!("5 restarts: {} acknowledged, {refused} refused", acknowledged.len());
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_database_that_takes_no_writes_is_read_and_said_to_be_read_only() {
    let postgres = Postgres::start();
    let server = postgres.server(&[]);
    let http = client(&server);
    let kept = trace_id(create(&http, 0));
    eventually("there is a memory to find", || (!query(&http).good().as_array().unwrap().is_empty()).then_some(()));
    let switch = |to: &str| {
        postgres.ask(&format!("ALTER DATABASE reflect SET default_transaction_read_only = {to}"));
        postgres.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reflect' AND pid <> pg_backend_pid()");
    };
    switch("on");
    eventually("the server is read-only", || (http.get("/ready").unwrap().body["store"] == "read_only").then_some(()));
    assert_unavailable(&create(&http, 1));
    assert_eq!(http.get(&format!("{PROJECT}/traces/{kept}")).unwrap().status, 200);
    assert_eq!(query(&http).good().as_array().unwrap().len(), 1, "queries go on, without their log");
    switch("off");
    eventually("creates work again", || (create(&http, 2).status == 200).then_some(()));
    eventually("the server is ready again", || (http.get("/ready").unwrap().status == 200).then_some(()));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_server_that_starts_before_its_database_waits_for_it() {
    let mut postgres = Postgres::start();
    postgres.tell("stop");
    let serve = postgres.serve();
    let waiting = std::thread::spawn(move || {
        let mut serve = serve;
        crate::server_process::ServerProcess::start_with(std::path::Path::new(""), &mut serve)
    });
    postgres.tell("start");
    let server = waiting.join().unwrap();
    assert_eq!(client(&server).get("/ready").unwrap().status, 200);
}

#[test]
fn a_database_without_a_master_key_is_refused() {
    let mut serve = crate::server_process::reflect();
    serve
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("REFLECT_DATABASE_URL", "postgres://u:secret-word@127.0.0.1:1/db");
    let said = run(&mut serve).refused();
    assert!(said.contains("REFLECT_MASTER_KEY_FILE") && !said.contains("secret-word"), "{said}");
    let said = run(serve.env("REFLECT_DATABASE_URL", "mysql://u:secret-word@127.0.0.1:1/db")).refused();
    assert!(said.contains("must begin with postgres://") && !said.contains("secret-word"), "{said}");
}

fn create(http: &Http, number: usize) -> Answer {
    let body = json!({
        "task": format!("book flight {number} to Oslo"),
        "trajectory": [{"role": "user", "content": "book it"}, {"role": "assistant", "content": "done"}],
        "review": {"result": "pass"},
    });
    http.post(&format!("{PROJECT}/traces"), &body).unwrap()
}

fn query(http: &Http) -> Answer {
    let body = json!({"task": "book flight 0 to Oslo", "limit": 1, "similarity_threshold": -1.0});
    http.post(&format!("{PROJECT}/memory/query"), &body).unwrap()
}

#[track_caller]
fn trace_id(created: Answer) -> String {
    created.good()["trace_id"].as_str().unwrap().to_owned()
}

/// A refusal that says when to come back.
#[track_caller]
fn assert_unavailable(answer: &Answer) {
    assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{answer:?}");
    assert!(answer.retry_after.is_some(), "{answer:?}");
    assert_ne!(answer.body["error"]["message"], Value::Null);
}

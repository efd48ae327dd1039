//! Three servers over one PostgreSQL, under load, while servers are killed and PostgreSQL is restarted as if it had crashed.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    PROJECT, acknowledged, client::Client, drain, in_doubt, random::Random, seed_memories, server_view::ServerView,
};
use crate::{
    http::Http,
    postgres::{Postgres, client},
    server_process::{ServerProcess, eventually},
};

const SERVERS: usize = 3;
const CLIENTS: usize = 6;
/// And more until enough was done to mean something.
const ROUNDS: usize = 8;
const SEED: u64 = 20_261_116;

/// How long there is load before and after something is killed, in milliseconds.
const LIFE: std::ops::Range<u64> = 300..1_200;

/// A project that nobody writes to meanwhile, and whose lessons nobody else may be shown.
const OTHER_PROJECT: &str = "/v1/projects/other";

/// Leases and waits are short, since dead servers leave some behind.
const SETTINGS: &[&str] =
    &["--queue-max-age", "3600", "--attempt-timeout", "1", "--review-deadline", "2", "--learning", "constant"];

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn what_any_server_acknowledged_survives_kills_and_crashes_of_the_database_and_counts_once() {
    let started = Instant::now();
    let mut postgres = Postgres::start();
    let mut random = Random::new(SEED);
    let mut clients: Vec<Client> = (0..CLIENTS).map(|number| Client::new(number, random.fork())).collect();
    let mut servers: Vec<ServerProcess> = (0..SERVERS).map(|_| postgres.server(SETTINGS)).collect();
    seed_memories(&client(&servers[0]));
    seed_other_project(&client(&servers[1]));
    let mut memories = ServerView::read(&client(&servers[2])).memory_ids();
    let queries = AtomicUsize::new(0);

    let is_enough = |clients: &[Client]| {
        let asked = queries.load(Ordering::Relaxed);
        acknowledged(clients) > 5 * ROUNDS && in_doubt(clients) > ROUNDS && asked > 2 * ROUNDS
    };

    let mut round = 0;
    while round < ROUNDS || !is_enough(&clients) {
        let stop = AtomicBool::new(false);
        let victim = random.between(0..SERVERS as u64) as usize;
        std::thread::scope(|scope| {
            for (number, worker) in clients.iter_mut().enumerate() {
                let http = client(&servers[number % SERVERS]).taking_unavailable_as_broken();
                let (memories, stop) = (&memories, &stop);
                scope.spawn(move || worker.work_until(&http, memories, stop));
            }
            for server in &servers {
                let http = client(server).taking_unavailable_as_broken();
                let (stop, queries) = (&stop, &queries);
                scope.spawn(move || query_until(&http, stop, queries));
            }
            std::thread::sleep(Duration::from_millis(random.between(LIFE)));
            if round % 3 != 1 {
                servers[victim].send("-KILL");
            }
            if round % 3 != 0 {
                postgres.tell("restart");
            }
            std::thread::sleep(Duration::from_millis(random.between(LIFE)));
            stop.store(true, Ordering::Relaxed);
        });
        if round % 3 != 1 {
            servers[victim] = postgres.server(SETTINGS);
        }
        memories = settle(&servers, &mut clients);
        round += 1;
    }

    let http = client(&servers[0]);
    drain(&http);
    let view = ServerView::read(&http);
    clients.iter_mut().for_each(|client| client.book.compare(&view));
    view.assert_all_ended_well();
    view.assert_credits_over_http(&http);
    assert_utilities_are_folds(&http, &view.memory_ids());
    assert_one_memory_a_trace(&http);
    let (acknowledged, in_doubt, queries) =
        (acknowledged(&clients), in_doubt(&clients), queries.load(Ordering::Relaxed));
    eprintln!(
        "{round} rounds: {acknowledged} acknowledged, {in_doubt} in doubt, {} traces, {queries} queries, {:.1} s",
        view.traces.len(),
        started.elapsed().as_secs_f64()
    );
}

/// Holds every book against each server once all of them answer, and repeats what was in doubt.
fn settle(servers: &[ServerProcess], clients: &mut [Client]) -> Vec<String> {
    for server in servers {
        eventually("the server is ready", || (client(server).get("/ready").ok()?.status == 200).then_some(()));
    }
    let view = ServerView::read(&client(&servers[0]));
    clients.iter_mut().for_each(|client| client.book.compare(&view));
    view.assert_nothing_else(clients);
    for (number, repeating) in clients.iter_mut().enumerate() {
        repeating.repeat_what_is_in_doubt(&client(&servers[number % servers.len()]));
    }
    for server in servers {
        let view = ServerView::read(&client(server));
        clients.iter_mut().for_each(|client| client.book.compare(&view));
        view.assert_nothing_else(clients);
    }
    ServerView::read(&client(&servers[1])).memory_ids()
}

fn seed_other_project(http: &Http) {
    for number in 0..10 {
        let body = json!({
            "task": format!("other {number}: book a flight to Oslo"),
            "trajectory": [],
            "review": {"result": "pass", "reflection": {"summary": "a secret of others"}},
        });
        http.post(&format!("{OTHER_PROJECT}/traces"), &body).unwrap().good();
    }
}

/// Asks about the same task in both projects, and looks whose lessons come back.
fn query_until(http: &Http, stop: &AtomicBool, queries: &AtomicUsize) {
    let body = json!({"task": "book a flight to Oslo", "limit": 50, "similarity_threshold": -1.0});
    while !stop.load(Ordering::Relaxed) {
        for (project, is_other) in [(PROJECT, false), (OTHER_PROJECT, true)] {
            let Ok(answer) = http.post(&format!("{project}/memory/query"), &body) else { return };
            let found = answer.good();
            let tasks = found.as_array().unwrap().iter().map(|memory| memory["task"].as_str().unwrap());
            assert!(tasks.clone().all(|task| task.starts_with("other ") == is_other), "{found}");
            assert!(tasks.count() >= 10, "{found}");
            queries.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// `q ← q + α · (r − q)` from 0.5, to the last bit, for every memory whose whole ledger an answer shows.
fn assert_utilities_are_folds(http: &Http, memory_ids: &[String]) {
    let mut folded = 0;
    for memory_id in memory_ids {
        let memory = http.get(&format!("{PROJECT}/memories/{memory_id}")).unwrap().good();
        let credits = memory["credits"].as_array().unwrap();
        if memory["uses"] != credits.len() {
            continue;
        }
        let utility = credits
            .iter()
            .rev()
            .fold(0.5, |q, credit| q + credit["alpha"].as_f64().unwrap() * (credit["reward"].as_f64().unwrap() - q));
        assert_eq!(utility.to_bits(), memory["q_value"].as_f64().unwrap().to_bits(), "{memory}");
        folded += 1;
    }
    assert!(folded > memory_ids.len() / 2, "only {folded} ledgers of {} were whole", memory_ids.len());
}

/// A job that was worked to its end twice would have left two memories of one trace.
fn assert_one_memory_a_trace(http: &Http) {
    let listed = http.get(&format!("{PROJECT}/memories?limit=1000")).unwrap().good();
    let listed = listed.as_array().unwrap();
    let mut traces = HashSet::new();
    for memory in listed {
        assert!(traces.insert(memory["trace_id"].as_str().unwrap()), "a second memory of one trace: {memory}");
    }
    assert!(!listed.is_empty());
}

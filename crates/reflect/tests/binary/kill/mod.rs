//! The server is killed with SIGKILL again and again under load, and then everything is counted.
//!
//! Several clients create, review, correct and take back, and each keeps book of what was acknowledged and of what is in
//! doubt because its connection broke. After every restart the books are held against the server: what was acknowledged
//! is there, what is in doubt happened once or not at all, every review has moved each memory exactly once, and every
//! utility is the fold of its ledger.
//!
//! A kill does not empty the operating system's cache, so this proves what happens around a commit, not that the commit
//! was flushed.

mod book;
mod client;
mod cluster;
mod ledger;
mod models;
mod provider;
mod random;
mod server_view;

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use client::Client;
use random::Random;
use serde_json::json;
use server_view::ServerView;

use crate::{
    http::Http,
    server_process::{ServerProcess, eventually, reflect, run, serve},
};

/// Kills under load, and more until enough was done to mean something: a busy machine gets little done before each. Some restarts are killed on
/// top of these, before they listen.
const ROUNDS: usize = 20;
const CLIENTS: usize = 6;
/// How long a server lives under load, in milliseconds.
const LIFE: std::ops::Range<u64> = 5..450;
const SEED: u64 = 20_260_731;

/// Everything happens in one project, whose name is not the simplest.
const PROJECT: &str = "/v1/projects/kill%20test%2F%C3%BC";

#[test]
fn what_was_acknowledged_survives_being_killed_and_counts_once() {
    let started = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut random = Random::new(SEED);
    let mut clients: Vec<Client> = (0..CLIENTS).map(|number| Client::new(number, random.fork())).collect();
    let mut server = start(data);
    seed_memories(&server.client());
    let mut memories = ServerView::read(&server.client()).memory_ids();

    let mut round = 0;
    while round < ROUNDS || !is_enough(&clients) {
        let http = server.client();
        std::thread::scope(|scope| {
            for client in &mut clients {
                let (http, memories) = (http.clone(), &memories);
                scope.spawn(move || client.work_until_cut_off(&http, memories));
            }
            std::thread::sleep(Duration::from_millis(random.between(LIFE)));
            server.kill();
        });
        kill_while_starting(data, &mut random);
        if round % 5 == 0 {
            check_says_nothing_differs(data);
        }
        server = start(data);
        memories = settle(&server, data, &mut clients);
        round += 1;
    }

    let http = server.client();
    drain(&http);
    let view = ServerView::read(&http);
    clients.iter_mut().for_each(|client| client.book.compare(&view));
    view.assert_all_ended_well();
    view.assert_credits_over_http(&http);
    ledger::assert_sound(data, &view);
    check_says_nothing_differs(data);
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    check_says_nothing_differs(data);
    report(round, &clients, &view, started.elapsed());
}

fn acknowledged(clients: &[Client]) -> usize {
    clients.iter().map(|client| client.book.acknowledged).sum()
}

fn in_doubt(clients: &[Client]) -> usize {
    clients.iter().map(|client| client.book.in_doubt).sum()
}

/// Whether enough was done to mean something.
fn is_enough(clients: &[Client]) -> bool {
    acknowledged(clients) > 10 * ROUNDS && in_doubt(clients) > ROUNDS
}

fn start(data: &Path) -> ServerProcess {
    // A queue that is far behind is what this test makes on purpose.
    ServerProcess::start_with(data, serve(data).args(["--queue-max-age", "3600"]))
}

/// Memories that no client ever takes back, so that every run has something to be shown.
fn seed_memories(http: &Http) {
    for number in 0..30 {
        let body = json!({
            "task": format!("seed {number}"),
            "trajectory": [],
            "review": {"result": "pass", "reflection": {"summary": format!("lesson {number}")}},
        });
        let answer = http.post(&format!("{PROJECT}/traces"), &body).unwrap().good();
        assert_eq!(answer["ingest_status"], "completed");
    }
}

/// Kills the next one or two starts as well: recovery itself may be interrupted at any point.
fn kill_while_starting(data: &Path, random: &mut Random) {
    for _ in 0..random.between(0..3) {
        let mut child = serve(data).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.between(0..120)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Holds every book against the server, then lets clients repeat what was in doubt, and looks once more. Answers the
/// memories that there are.
fn settle(server: &ServerProcess, data: &Path, clients: &mut [Client]) -> Vec<String> {
    let http = server.client();
    let view = ServerView::read(&http);
    for client in &mut *clients {
        client.book.compare(&view);
    }
    view.assert_nothing_else(clients);
    for client in &mut *clients {
        client.repeat_what_is_in_doubt(&http);
    }
    let view = ServerView::read(&http);
    for client in &mut *clients {
        client.book.compare(&view);
    }
    view.assert_nothing_else(clients);
    ledger::assert_sound(data, &view);
    view.memory_ids()
}

fn drain(http: &Http) {
    for status in ["queued", "processing", "queued"] {
        eventually("the queue is empty", || {
            let path = format!("{PROJECT}/traces?ingest_status={status}&view=summary&limit=1");
            let left = http.get(&path).unwrap().good();
            left.as_array().unwrap().is_empty().then_some(())
        });
    }
}

/// `reflect check` must say so whether a server runs, was stopped, or was killed a moment ago.
fn check_says_nothing_differs(data: &Path) {
    let said = run(reflect().args(["check", "--data"]).arg(data)).succeeded();
    assert!(said.contains(", 0 differ"), "{said}");
}

/// What was done, for whoever reads the output.
fn report(rounds: usize, clients: &[Client], view: &ServerView, took: Duration) {
    let (acknowledged, in_doubt) = (acknowledged(clients), in_doubt(clients));
    let repeated: usize = clients.iter().map(|client| client.book.repeated).sum();
    let traces = view.traces.len();
    eprintln!(
        "{rounds} kills under load: {acknowledged} acknowledged, {in_doubt} in doubt, {repeated} repeated, {traces} traces, \
         {:.1} s",
        took.as_secs_f64()
    );
}

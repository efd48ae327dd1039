//! `join`: a second server joins a project of 100,000 memories. How long until it answers its first query, and what those notice that ask the
//! first one meanwhile.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use reflect_store::{CopySource, CopyTarget, DataFolder};
use reqwest::Method;
use serde_json::json;

use super::Database;
use crate::{
    filled_database,
    load::{self, Answered, Requests, Until},
    query::task,
    say,
    server::Server,
};

const MEMORIES: usize = 100_000;

/// How many times it joins.
const ROUNDS: usize = 5;

/// How long the first server is asked, before and while another joins.
const ASKING: Duration = Duration::from_secs(6);

static ASKED: AtomicU64 = AtomicU64::new(1);

pub(crate) fn run() -> anyhow::Result<()> {
    let database = Database::named()?;
    let url = database.schema("bench_join")?;
    say(format_args!("storing {MEMORIES} memories …"));
    store(&url)?;
    let first = Server::start_over(&url)?;
    first.call(Method::POST, "memory/query", query(0))?;
    say(format_args!("{MEMORIES} memories of 384 dimensions; {}\n", database.version()?));
    say(format_args!(
        "{:<8}{:>26}{:>28}{:>28}",
        "", "first answer after", "the other's p50 / p99 alone", "while it is joined"
    ));
    for round in 1..=ROUNDS {
        let alone = asked(&first)?;
        let (joined, meanwhile) = std::thread::scope(|scope| {
            let joining = scope.spawn(|| join(&url));
            let meanwhile = asked(&first);
            (joining.join().map_err(|_| anyhow::anyhow!("joining ended in a panic")), meanwhile)
        });
        let (started, answered) = joined??;
        say(format_args!(
            "{round:<8}{:>26}{:>28}{:>28}",
            format!("{:.2} s ({:.2} starting)", (started + answered).as_secs_f64(), started.as_secs_f64()),
            latencies(&alone),
            latencies(&meanwhile?)
        ));
    }
    Ok(())
}

/// Puts the memories into the database, by way of a data folder.
fn store(url: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    // The first query decides the project's embedder.
    let server = Server::start(folder.path())?;
    server.call(Method::POST, "memory/query", query(0))?;
    server.terminate()?;
    let path = DataFolder::database_in(folder.path());
    let embedder = filled_database::embedder_of(&path, "bench")?;
    filled_database::fill(&path, ("bench", &embedder), filled_database::in_any_direction(MEMORIES))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async { CopyTarget::connect(url).await?.copy_from(&CopySource::open(&path)?, |_| {}).await })?;
    Ok(())
}

/// Starts a server and asks it one query: until it listened, and from then until it had answered.
fn join(url: &str) -> anyhow::Result<(Duration, Duration)> {
    let began = Instant::now();
    let server = Server::start_over(url)?;
    let started = began.elapsed();
    server.call(Method::POST, "memory/query", query(0))?;
    let answered = began.elapsed() - started;
    server.terminate()?;
    Ok((started, answered))
}

/// Asks over one connection, one query after the other.
fn asked(server: &Server) -> anyhow::Result<Answered> {
    load::post(server, Requests { method: "POST", path: "memory/query", body: query }, 1, Until::After(ASKING), &ASKED)
}

fn latencies(seen: &Answered) -> String {
    let millis = |share| seen.percentile(share).as_secs_f64() * 1e3;
    format!("{:.1} / {:.1} ms", millis(0.5), millis(0.99))
}

/// No task is near to a vector in any direction, so there is no floor: every query has an answer.
fn query(number: u64) -> String {
    json!({"task": task(number), "limit": 10, "similarity_threshold": -1.0}).to_string()
}

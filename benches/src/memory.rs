//! `memory`: what a server holds that serves many memories, with the model on.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use reflect_store::DataFolder;
use reqwest::Method;
use serde_json::json;

use crate::{
    filled_database,
    load::{self, Requests, Until},
    query::task,
    say,
    server::Server,
};

const CONNECTIONS: usize = 32;
const ROUND: Duration = Duration::from_secs(10);

static ASKED: AtomicU64 = AtomicU64::new(1);

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let memories = match words {
        [] => 100_000,
        ["--memories", number] => number.parse()?,
        other => anyhow::bail!("`{}` is no option of this benchmark", other.join(" ")),
    };
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    // The first query decides the project's embedder.
    ask(&Server::start(folder.path())?)?;
    let database = DataFolder::database_in(folder.path());
    let embedder = filled_database::embedder_of(&database, "bench")?;
    filled_database::fill(&database, ("bench", &embedder), filled_database::in_any_direction(memories))?;
    let server = Server::start(folder.path())?;
    say(format_args!("{memories} memories of 384 dimensions, embedder `{embedder}`"));
    say(format_args!("started:                     {}", server.resident()?));
    let start = Instant::now();
    ask(&server)?;
    say(format_args!("after the first query:       {} ({:.1} s)", server.resident()?, start.elapsed().as_secs_f64()));
    let queries = Requests { method: "POST", path: "memory/query", body: query };
    for connections in [1, CONNECTIONS] {
        let seen = load::post(&server, queries, connections, Until::After(ROUND), &ASKED)?;
        say(format_args!(
            "after {} s on {connections:>2} connections: {} ({} queries, p50 {:.1} ms)",
            ROUND.as_secs(),
            server.resident()?,
            seen.count,
            seen.percentile(0.5).as_secs_f64() * 1e3
        ));
    }
    Ok(())
}

/// No task is near to a vector in any direction, so there is no floor: every query has an answer.
fn query(number: u64) -> String {
    json!({"task": task(number), "limit": 10, "similarity_threshold": -1.0}).to_string()
}

fn ask(server: &Server) -> anyhow::Result<()> {
    server.call(Method::POST, "memory/query", query(0))?;
    Ok(())
}

//! `copy`: 100,000 traces and 20,000 memories from a data folder into a database and back, once without a break and once killed half-way, both
//! ways. What arrives is held against what left, row by row.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::Context;
use reflect_store::DataFolder;
use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Database;
use crate::{
    load::{self, Requests, Until},
    say,
    server::Server,
};

const TRACES: u64 = 100_000;
const MEMORIES: u64 = 20_000;

/// Runs that saw memories, so that the ledger has rows.
const CREDITED: u64 = 500;

const CONNECTIONS: usize = 32;

static NEXT: AtomicU64 = AtomicU64::new(1);

pub(crate) fn run() -> anyhow::Result<()> {
    let database = Database::named()?;
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let data = folder.path().join("data");
    say(format_args!("storing {TRACES} traces, {MEMORIES} of them reviewed …"));
    store(&data)?;
    let left = tables(&data)?;
    for (name, table) in left.iter().filter(|(_, table)| table.rows > 0) {
        say(format_args!("{:>9} {name}", table.rows));
    }
    say(format_args!("{}; seconds until everything is copied and compared\n", database.version()?));
    say(format_args!("{:<34}{:>8}{:>8}", "", "there", "back"));
    let data = text(&data)?;
    let mut took = [Duration::ZERO; 2];
    for (name, is_killed) in [("without a break", false), ("killed half-way, and gone on with", true)] {
        let url = database.schema(&format!("bench_copy_{is_killed}"))?;
        let back = text(&folder.path().join(format!("back-{is_killed}")))?;
        for ((from, to), took) in [(&data, &url), (&url, &back)].into_iter().zip(&mut took) {
            *took = copy(from, to, is_killed.then_some(*took / 2))?;
        }
        let [there, back_again] = took.map(|took| took.as_secs_f64());
        say(format_args!("{name:<34}{there:>8.1}{back_again:>8.1}"));
        let arrived = tables(Path::new(&back))?;
        let differ: Vec<&str> = left
            .iter()
            .zip(&arrived)
            .filter(|(left, arrived)| left != arrived)
            .map(|((name, _), _)| name.as_str())
            .collect();
        anyhow::ensure!(left.len() == arrived.len() && differ.is_empty(), "not what it was: {}", differ.join(", "));
    }
    say(format_args!("\nall {} tables are what they were, row by row", left.len()));
    Ok(())
}

/// Fills a data folder by way of its server.
fn store(data: &Path) -> anyhow::Result<()> {
    let server = Server::start(data)?;
    let post = |body, first: u64, last| {
        NEXT.store(first, Ordering::Relaxed);
        load::post(&server, Requests { method: "POST", path: "traces", body }, CONNECTIONS, Until::Number(last), &NEXT)
    };
    let learned = || {
        while server.has_pending_traces()? {
            std::thread::sleep(Duration::from_millis(100));
        }
        anyhow::Ok(())
    };
    post(load::trace, 1, MEMORIES - CREDITED)?;
    learned()?;
    for number in 0..CREDITED {
        let task = format!("Where is order {}?", number * 7);
        let asked = json!({"task": task, "limit": 3}).to_string();
        let found = server.call(Method::POST, "memory/query", asked)?;
        let found = found.as_array().map(Vec::as_slice).unwrap_or_default();
        let shown: Vec<&Value> = found.iter().filter_map(|memory| memory.get("id")).collect();
        let result = if number.is_multiple_of(2) { "pass" } else { "fail" };
        let run = json!({"task": task, "trajectory": [], "retrieved_memory_ids": shown, "review": {"result": result}});
        server.call(Method::POST, "traces", run.to_string())?;
    }
    learned()?;
    post(unreviewed, MEMORIES + 1, TRACES)?;
    server.terminate()
}

fn unreviewed(number: u64) -> String {
    let mut trace: Value = serde_json::from_str(&load::trace(number)).unwrap_or_default();
    if let Value::Object(fields) = &mut trace {
        fields.remove("review");
    }
    trace.to_string()
}

/// Runs `reflect copy`, and again after it was killed. Says how long it took in all.
fn copy(from: &str, to: &str, killed_after: Option<Duration>) -> anyhow::Result<Duration> {
    let command = || {
        let binary = std::env::var_os("REFLECT_BIN").context("set REFLECT_BIN to the server's release binary")?;
        let mut command = Command::new(binary);
        command.arg("copy").env("REFLECT_COPY_FROM", from).env("REFLECT_COPY_TO", to).stdout(Stdio::null());
        anyhow::Ok(command)
    };
    let began = Instant::now();
    if let Some(after) = killed_after {
        let mut copying = command()?.spawn()?;
        std::thread::sleep(after);
        copying.kill()?;
        anyhow::ensure!(!copying.wait()?.success(), "the copy ended before it could be killed");
    }
    anyhow::ensure!(command()?.status()?.success(), "`reflect copy` failed");
    Ok(began.elapsed())
}

/// What a table holds.
#[derive(PartialEq)]
struct Table {
    rows: u64,
    sum: [u8; 32],
}

/// Every table with its rows and a checksum of all that is in them, whatever their order is on disk. Which process writes a file is the file's own
/// affair.
fn tables(data: &Path) -> anyhow::Result<Vec<(String, Table)>> {
    let connection = Connection::open(DataFolder::database_in(data))?;
    let mut names = connection.prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'writer' ORDER BY name",
    )?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    names.into_iter().map(|name| Ok((name.clone(), Table::read(&connection, &name)?))).collect()
}

impl Table {
    fn read(connection: &Connection, name: &str) -> anyhow::Result<Self> {
        let mut statement = connection.prepare(&format!("SELECT * FROM {name}"))?;
        let columns = statement.column_count();
        let mut all = Self { rows: 0, sum: [0; 32] };
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut hash = Sha256::new();
            for column in 0..columns {
                hash.update(format!("{:?};", row.get_ref(column)?));
            }
            all.rows += 1;
            all.sum.iter_mut().zip(hash.finalize()).for_each(|(sum, byte)| *sum ^= byte);
        }
        Ok(all)
    }
}

fn text(path: &Path) -> anyhow::Result<String> {
    Ok(path.to_str().context("a path that is not text")?.to_owned())
}

//! From the database: how long a project takes to load, and what a server holds that serves it.

use std::{path::Path, time::Instant};

use anyhow::Context;
use reflect_engine::index::Index;
use reflect_store::{DataFolder, Store};
use rusqlite::Connection;
use serde_json::json;

use super::{DIMENSION, data::Random};
use crate::{say, server::Server};

/// How many rows an index fetches at a time.
const PAGE: usize = 1_000;

/// Loads a project of `size` memories as the engine does, and asks a server about another of the same size.
pub(crate) fn run(size: usize) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    drop(Server::start(folder.path())?);
    let database = DataFolder::database_in(folder.path());
    fill(&database, "loaded", "bench-384", DIMENSION, size)?;
    load(&database, size)?;
    let (embedder, dimension) = embedder_of_server(&database)?;
    fill(&database, "bench", &embedder, dimension, size)?;
    let server = Server::start(folder.path())?;
    let start = Instant::now();
    ask(&server, 0)?;
    let first = start.elapsed();
    for number in 1..200 {
        ask(&server, number)?;
    }
    say(format_args!(
        "a server with {size} memories of {dimension} dimensions (`{embedder}`): {:.1} MB resident after 200 queries, \
         the first of which loaded the project in {:.2} s",
        server.resident_mib()? * 1.048_576,
        first.as_secs_f64()
    ));
    Ok(())
}

fn load(database: &Path, size: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let store = Store::open(database)?;
    let index = Index::default();
    let start = Instant::now();
    let mut since = 0;
    loop {
        let page = store.list_changed_memories("loaded".parse()?, "bench-384".to_owned(), since, PAGE);
        let page = runtime.block_on(page)?;
        let Some(last) = page.last() else { break };
        since = last.changed;
        index.apply(page);
    }
    anyhow::ensure!(index.len() == size, "{} of {size} memories were loaded", index.len());
    let took = start.elapsed().as_secs_f64();
    say(format_args!("\n{size} memories of {DIMENSION} dimensions are loaded from the database in {took:.2} s"));
    Ok(())
}

/// Writes memories as they stand after lessons were written for them, in one transaction.
fn fill(database: &Path, project: &str, embedder: &str, dimension: usize, size: usize) -> anyhow::Result<()> {
    let mut connection = Connection::open(database)?;
    let write = connection.transaction()?;
    let mut random = Random(7);
    let first: i64 = write.query_row("SELECT coalesce(max(changed), 0) FROM memories", [], |row| row.get(0))?;
    let mut insert_memory = write.prepare(
        "INSERT INTO memories (project_id, memory_id, trace_id, task, lesson, success, status, revision, written_by, q_value,
                               uses, passes, fails, next_position, metadata, created_at, updated_at, changed)
         VALUES (?1, ?2, ?2, ?3, ?4, 1, 'active', 1, ?5, ?6, 0, 0, 0, 0, ?7, 0, 0, ?8)",
    )?;
    let mut insert_vector =
        write.prepare("INSERT INTO vectors (project_id, memory_id, embedder, vector) VALUES (?1, ?2, ?3, ?4)")?;
    let written_by = json!({"reflector": "builtin", "version": "1"}).to_string();
    for number in 0..size {
        let id = uuid::Uuid::from_u128(number as u128 + 1);
        let lesson = json!({
            "summary": format!("Order {number} was looked up before it was answered, and the customer was told the carrier."),
            "key_mistake": "", "correct_action": "Look the order up first.", "guidance": "Say the carrier and the day.",
            "applicable_tools": ["get_order"], "tools_used": ["get_order"],
        });
        let metadata = json!({"source": "bench", "team": number % 10, "run": number}).to_string();
        let task = format!("Answer ticket {number}: where is order {}?", number * 7_919 % 100_000);
        let utility = f64::from(random.next() as u16) / 65_535.0;
        let changed = first + 1 + number as i64;
        insert_memory.execute((project, id, task, lesson.to_string(), &written_by, utility, metadata, changed))?;
        let vector = random.unit();
        let bytes: Vec<u8> = vector.iter().cycle().take(dimension).flat_map(|value| value.to_le_bytes()).collect();
        insert_vector.execute((project, id, embedder, bytes))?;
    }
    drop((insert_memory, insert_vector));
    Ok(write.commit()?)
}

/// The embedder that the server gave to its project, and the dimension that its name ends with.
fn embedder_of_server(database: &Path) -> anyhow::Result<(String, usize)> {
    let sql = "SELECT embedder FROM projects WHERE project_id = 'bench'";
    let embedder: String = Connection::open(database)?.query_row(sql, [], |row| row.get(0))?;
    let dimension = embedder.rsplit('-').next().and_then(|last| last.parse().ok());
    let dimension = dimension.with_context(|| format!("`{embedder}` does not say its dimension"))?;
    Ok((embedder, dimension))
}

fn ask(server: &Server, number: usize) -> anyhow::Result<()> {
    let url = format!("http://{}/v1/projects/bench/memory/query", server.address);
    let body = json!({"task": format!("where is order {number}?"), "similarity_threshold": -1.0});
    let mut answer = ureq::post(&url).header("Authorization", format!("Bearer {}", server.key)).send_json(body)?;
    let memories: Vec<serde_json::Value> = answer.body_mut().read_json()?;
    anyhow::ensure!(!memories.is_empty(), "the server found nothing");
    Ok(())
}

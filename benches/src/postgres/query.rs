//! Queries a second over the index in memory.

use super::{Database, SERVERS, servers_named};
use crate::{
    load::{self, Requests, Until},
    query::{ASKED, CONNECTIONS, MEMORIES, ROUND, ROUNDS, Round, STORED, fresh_query, memory, repeated_query},
    say,
    server::Server,
};

/// Who is asked: a name, and its servers.
type Asked<'a> = (String, &'a [Server]);

pub(crate) fn run() -> anyhow::Result<()> {
    let database = Database::named()?;
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let folder_server = [Server::start(&folder.path().join("data"))?];
    let servers = Database::servers(&database.schema("bench_query")?, SERVERS)?;
    say(format_args!("storing {MEMORIES} memories twice …"));
    let memories = Requests { path: "traces", body: memory };
    for servers in [&folder_server[..], &servers] {
        STORED.store(1, std::sync::atomic::Ordering::Relaxed);
        load::post_to(servers, memories, CONNECTIONS, Until::Number(MEMORIES), &STORED)?;
    }
    say(format_args!(
        "{MEMORIES} memories, {CONNECTIONS} connections, limit 10, {ROUNDS} rounds of {} s each; {}",
        ROUND.as_secs(),
        database.version()?
    ));
    let counts = (1..=SERVERS).filter_map(|count| Some((servers_named(count), servers.get(..count)?)));
    let asked: Vec<Asked<'_>> =
        std::iter::once(("SQLite, 1 server".to_owned(), &folder_server[..])).chain(counts).collect();
    for (what, body) in [("every task new", fresh_query as fn(u64) -> String), ("tasks repeat", repeated_query)] {
        say(format_args!("\n{what}"));
        measure(&asked, body)?;
    }
    Ok(())
}

/// Asks all of them in turn, and prints medians.
fn measure(asked: &[Asked<'_>], body: fn(u64) -> String) -> anyhow::Result<()> {
    let mut seen: Vec<Vec<Round>> = asked.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for ((_, servers), seen) in asked.iter().zip(&mut seen) {
            let queries = Requests { path: "memory/query", body };
            seen.push(Round::of(&load::post_to(servers, queries, CONNECTIONS, Until::After(ROUND), &ASKED)?));
        }
    }
    let medians: Vec<Round> = seen.iter().map(|rounds| Round::median(rounds)).collect();
    let sqlite = medians.first().map_or(f64::NAN, |round| round.per_second);
    for ((name, _), round) in asked.iter().zip(&medians) {
        round.print(&format!("{name:<22}"));
        say(format_args!("{:<22}{:>8.2} times SQLite", "", round.per_second / sqlite));
    }
    Ok(())
}

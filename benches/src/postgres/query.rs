//! Queries a second over the index in memory.

use super::{Database, SERVERS, servers_named};
use crate::{
    query::{Asked, compare_all, fill},
    say,
    server::Server,
};

pub(crate) fn run() -> anyhow::Result<()> {
    let database = Database::named()?;
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let folder_server = [Server::start(&folder.path().join("data"))?];
    let servers = Database::servers(&database.schema("bench_query")?, SERVERS)?;
    say(format_args!("{}", database.version()?));
    let sqlite = ("SQLite, 1 server".to_owned(), &folder_server[..]);
    fill(&[sqlite.clone(), (servers_named(SERVERS), &servers)])?;
    let counts = (1..=SERVERS).filter_map(|count| Some((servers_named(count), servers.get(..count)?)));
    let asked: Vec<Asked<'_>> = std::iter::once(sqlite).chain(counts).collect();
    compare_all(&asked)?;
    Ok(())
}

//! From the database: how long a project takes to load.

use std::{path::Path, time::Instant};

use reflect_index::Index;
use reflect_store::{DataFolder, Store};

use super::DIMENSION;
use crate::{filled_database, say, server::Server};

/// How many rows an index fetches at a time.
const PAGE: usize = 1_000;

/// Loads a project of `size` memories as the engine does.
pub(crate) fn run(size: usize) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    drop(Server::start(folder.path())?);
    let database = DataFolder::database_in(folder.path());
    filled_database::fill(&database, ("loaded", "bench-384"), filled_database::in_any_direction(size))?;
    load(&database, size)
}

fn load(database: &Path, size: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let reader = Store::open(database)?.index_reader();
    let index = Index::default();
    let start = Instant::now();
    let mut since = 0;
    loop {
        let page = reader.list_changed("loaded".parse()?, "bench-384".to_owned(), since, PAGE);
        let page = runtime.block_on(page)?;
        let Some(last) = page.last() else { break };
        since = last.changed;
        index.apply(page);
    }
    anyhow::ensure!(index.len() == size, "{} of {size} memories were loaded", index.len());
    let took = start.elapsed().as_secs_f64();
    say(format_args!("{size} memories of {DIMENSION} dimensions are loaded from the database in {took:.2} s"));
    Ok(())
}

//! The store: some who write, some who read.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use reflect_core::{ProjectId, Timestamp};

use crate::{
    backend::{Readers, Scans, Writer},
    being_erased::Erasing,
    error::{StoreError, StoreResult},
    postgres::{self, LazyLink, Target},
    sql::{Lane, Query, Read, Transaction, params},
    sqlite::{self, owners_file, remove_copies},
    tables::{unfinished_copy, unfolded_memories},
    unlogged::Unlogged,
};

/// Everything that Reflect keeps.
pub struct Store {
    // Declared first and so dropped first: whoever closes a SQLite database last removes the write-ahead log, and readers may not.
    pub(crate) readers: Readers,
    pub(crate) scans: Scans,
    pub(crate) writer: Writer,
    pub(crate) erasing: Erasing,
    pub(crate) unlogged: Arc<Unlogged>,
    /// SQLite's file.
    path: Option<PathBuf>,
    /// How other instances over the same database are reached, where there may be some.
    pub(crate) link: Option<LazyLink>,
}

/// What is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    /// A database to work with. A copy that is not finished is refused.
    Whole,
    /// One that is being copied into, in which nothing else is changed.
    Unfinished,
}

impl Opened {
    fn read_erasing(self, read: &dyn Read) -> StoreResult<BTreeSet<ProjectId>> {
        if self == Self::Whole {
            unfinished_copy::refuse(read)?;
        }
        Erasing::read(read)
    }
}

/// How much a probe writes beside the database: more than the log may have left over of what it once took.
const PROBE_BYTES: usize = 64 * 1_024;

impl Store {
    /// Opens the SQLite database at `path`, making or migrating it as needed.
    pub fn open(path: &Path) -> StoreResult<Self> {
        Self::open_as(path, Opened::Whole)
    }

    pub(crate) fn open_as(path: &Path, opened: Opened) -> StoreResult<Self> {
        let writer = sqlite::Writer::open(path)?;
        let readers = sqlite::Readers::open(path)?;
        let erasing = Erasing::new(readers.read_now(|read| opened.read_erasing(read))?);
        if opened == Opened::Whole && readers.read_now(unfolded_memories::next_project)?.is_some() {
            writer.write_now(unfolded_memories::fold_all)?;
        }
        Ok(Self {
            readers: Readers::Sqlite(readers),
            scans: Scans::Sqlite(sqlite::Scans::open(path, &writer)?),
            writer: Writer::Sqlite(writer),
            erasing,
            unlogged: Arc::default(),
            path: Some(path.to_owned()),
            link: None,
        })
    }

    /// Connects to the PostgreSQL database at `url`, making or migrating its tables as needed. Other processes may have it open, too.
    ///
    /// The URL is as `psql` takes it, with `sslmode` (`disable`, `prefer`, `require`, `verify-ca`, `verify-full`) and `sslrootcert`. The tables
    /// are in the first schema of its search path.
    pub async fn connect(url: &str) -> StoreResult<Self> {
        let store = Self::connect_as(url, Opened::Whole).await?;
        while let Some(project_id) = store.readers.read(unfolded_memories::next_project).await? {
            store.fold_memories(&project_id).await?;
        }
        Ok(store)
    }

    pub(crate) async fn connect_as(url: &str, opened: Opened) -> StoreResult<Self> {
        let target = Target::parse(url)?;
        let linked = target.clone();
        let connect = move || -> StoreResult<_> {
            postgres::migrate(&target)?;
            let readers = postgres::Readers::new(&target);
            Ok((readers, postgres::Scans::new(&target), postgres::Writer::start(&target)?))
        };
        let connected = tokio::task::spawn_blocking(connect).await;
        let (readers, scans, writer) = connected.map_err(|_| StoreError::Closed)??;
        let erasing = Erasing::new(readers.read(move |read| opened.read_erasing(read)).await?);
        Ok(Self {
            readers: Readers::Postgres(readers),
            scans: Scans::Postgres(scans),
            writer: Writer::Postgres(writer),
            erasing,
            unlogged: Arc::default(),
            path: None,
            link: Some(LazyLink::new(linked)),
        })
    }

    /// Whether other processes may work on the same database at the same time.
    pub fn is_shared(&self) -> bool {
        self.path.is_none()
    }

    /// Folds those of a project's memories again whose cached fold is not that of their ledger.
    pub(crate) async fn fold_memories(&self, project_id: &ProjectId) -> StoreResult<()> {
        loop {
            let name = project_id.clone();
            let fold = move |write: &dyn Transaction| unfolded_memories::fold_some(write, &name);
            if self.writer.write_some(Lane::of(project_id), fold).await?.done {
                return Ok(());
            }
        }
    }

    /// Proves that the database can be read.
    pub async fn ping(&self) -> StoreResult<()> {
        self.readers.read(|read| read.exists("SELECT 1", params![]).map(|_| ())).await
    }

    /// Waits until everything that was handed over before is on disk, also what nobody waits for.
    pub async fn settle(&self) -> StoreResult<()> {
        self.writer.settle().await
    }

    /// Removes the copies of the database that SQLite's migrations have set aside before this time. Answers how many.
    pub fn remove_copies(&self, before: Timestamp) -> StoreResult<usize> {
        let Some(path) = &self.path else { return Ok(0) };
        remove_copies(path, before).map_err(StoreError::file("removing copies of the database"))
    }

    /// Proves that the database can be written: by a small write, and by a file beside SQLite's, since a small write may find room on a disk
    /// that is full.
    pub async fn probe_writing(&self) -> StoreResult<()> {
        let sql = match &self.path {
            Some(path) => {
                self.probe_disk(path).await?;
                sqlite::dialect::PROBE
            }
            None => postgres::dialect::PROBE,
        };
        self.writer.write(Lane::Server, move |write| write.execute(sql, params![]).map(|_| ())).await
    }

    async fn probe_disk(&self, path: &Path) -> StoreResult<()> {
        let path = path.with_extension("db-probe");
        let probed = tokio::task::spawn_blocking(move || probe(&path)).await.map_err(|_| StoreError::Closed)?;
        probed.map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
            _ => StoreError::NotWritable(error.to_string()),
        })
    }
}

fn probe(path: &Path) -> io::Result<()> {
    let written = owners_file().write(true).create(true).truncate(true).open(path);
    let written = written.and_then(|mut file| file.write_all(&[0; PROBE_BYTES]));
    // Where it could not be written there may be none.
    let _ = std::fs::remove_file(path);
    written
}

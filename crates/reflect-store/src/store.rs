//! The store: one writer, some readers.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use reflect_core::Timestamp;

use crate::{
    being_erased::Erasing,
    error::{StoreError, StoreResult},
    sql::{Query, params},
    sqlite::{Readers, Scans, Writer, owners_file, remove_copies},
};

/// Everything that Reflect keeps.
pub struct Store {
    // Declared first and so dropped first: whoever closes the database last removes the write-ahead log, and readers may not.
    pub(crate) readers: Readers,
    pub(crate) scans: Scans,
    pub(crate) writer: Writer,
    pub(crate) erasing: Erasing,
    path: PathBuf,
}

/// How much a probe writes beside the database: more than the log may have left over of what it once took.
const PROBE_BYTES: usize = 64 * 1_024;

impl Store {
    /// Opens the database at `path`, making or migrating it as needed.
    pub fn open(path: &Path) -> StoreResult<Self> {
        let writer = Writer::open(path)?;
        let readers = Readers::open(path)?;
        let erasing = readers.read_now(Erasing::read)?;
        Ok(Self { readers, scans: Scans::open(path, &writer)?, writer, erasing, path: path.to_owned() })
    }

    /// Proves that the database can be read.
    pub async fn ping(&self) -> StoreResult<()> {
        self.readers.read(|read| read.exists("SELECT 1", params![]).map(|_| ())).await
    }

    /// Waits until everything that was handed over before is on disk, also what nobody waits for.
    pub async fn settle(&self) -> StoreResult<()> {
        self.writer.write(|_| Ok(())).await
    }

    /// Removes the copies of the database that migrations have set aside before this time. Answers how many.
    pub fn remove_copies(&self, before: Timestamp) -> StoreResult<usize> {
        remove_copies(&self.path, before).map_err(StoreError::file("removing copies of the database"))
    }

    /// Proves that the database can be written: by a small write, and by a file beside it, since a small write may find room on a disk
    /// that is full.
    pub async fn probe_writing(&self) -> StoreResult<()> {
        let path = self.path.with_extension("db-probe");
        let probed = tokio::task::spawn_blocking(move || probe(&path)).await.map_err(|_| StoreError::Closed)?;
        probed.map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
            _ => StoreError::NotWritable(error.to_string()),
        })?;
        self.writer.write(|write| write.execute("UPDATE writer SET instance = instance", params![]).map(|_| ())).await
    }
}

fn probe(path: &Path) -> io::Result<()> {
    let written = owners_file().write(true).create(true).truncate(true).open(path);
    let written = written.and_then(|mut file| file.write_all(&[0; PROBE_BYTES]));
    // Where it could not be written there may be none.
    let _ = std::fs::remove_file(path);
    written
}

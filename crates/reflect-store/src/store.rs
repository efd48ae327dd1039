//! The store: one writer, some readers.

use std::path::{Path, PathBuf};

use reflect_core::Timestamp;

use crate::{
    erasing::Erasing,
    error::{StoreError, StoreResult},
    sql::{Query, params},
    sqlite::{Readers, Scans, Writer, remove_copies},
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

    /// Removes the copies of the database that migrations have set aside before this time. Answers how many.
    pub fn remove_copies(&self, before: Timestamp) -> StoreResult<usize> {
        remove_copies(&self.path, before).map_err(StoreError::file("removing copies of the database"))
    }
}

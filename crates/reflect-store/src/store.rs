//! The store: one writer, some readers.

use std::path::Path;

use crate::{
    error::StoreResult,
    sql::{Query, params},
    sqlite::{Readers, Scans, Writer},
};

/// Everything that Reflect keeps.
pub struct Store {
    // Declared first and so dropped first: whoever closes the database last removes the write-ahead log, and readers may not.
    pub(crate) readers: Readers,
    pub(crate) scans: Scans,
    pub(crate) writer: Writer,
}

impl Store {
    /// Opens the database at `path`, making or migrating it as needed.
    pub fn open(path: &Path) -> StoreResult<Self> {
        let writer = Writer::open(path)?;
        Ok(Self { readers: Readers::open(path)?, scans: Scans::open(path, &writer)?, writer })
    }

    /// Proves that the database can be read.
    pub async fn ping(&self) -> StoreResult<()> {
        self.readers.read(|read| read.exists("SELECT 1", params![]).map(|_| ())).await
    }
}

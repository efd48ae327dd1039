//! Copies of a whole database: backups, and what is restored from them.

use std::path::Path;

use crate::{
    error::StoreResult,
    sqlite::{self, Copied},
    store::Store,
};

impl Store {
    /// Copies the database at `from`, which another process may be writing to, into a new file at `to`, and says how far it has come as
    /// it goes. The copy is the database at one moment, in a single file, and is on disk when this returns.
    pub fn copy_at(from: &Path, to: &Path, mut each: impl FnMut(Copied)) -> StoreResult<()> {
        sqlite::copy(from, to, &mut each)
    }

    /// The schema of the database at `path`, if an earlier release wrote it: the next start of a server migrates it. One that this
    /// release does not know is refused.
    pub fn older_schema_at(path: &Path) -> StoreResult<Option<i64>> {
        sqlite::older_schema(path)
    }
}

//! The database that is copied.

use std::path::Path;

use crate::{
    backend::Readers,
    error::{StoreError, StoreResult},
    postgres, sqlite,
};

/// A database that is copied, and only read. It must have the newest schema.
///
/// A copy has what was there when it began. What is written meanwhile is not in it, and one that was killed cannot go on after such a write.
pub struct CopySource(pub(super) Readers);

impl CopySource {
    /// The SQLite database at `path`.
    pub fn open(path: &Path) -> StoreResult<Self> {
        if let Some(found) = sqlite::older_schema(path)? {
            return Err(StoreError::OlderSchema(found));
        }
        Ok(Self(Readers::Sqlite(sqlite::Readers::open_foreign(path)?)))
    }

    /// The PostgreSQL database at `url`.
    pub async fn connect(url: &str) -> StoreResult<Self> {
        let target = postgres::Target::parse(url)?;
        let readers = postgres::Readers::new(&target);
        let checked = tokio::task::spawn_blocking(move || postgres::refuse_other_schema(&target)).await;
        checked.map_err(|_| StoreError::Closed)??;
        Ok(Self(Readers::Postgres(readers)))
    }
}

//! The indexes in memory over the store: what they read, and whether they are as the database is.

use std::path::Path;

use reflect_core::{IndexRow, MemoryId};
use reflect_index::{IndexKey, IndexReport, RowSource, check_anew};
use reflect_store::{IndexReader, StoreError};
use tokio::task::JoinError;

use crate::{Engine, EngineError, EngineResult};

/// Compares the index of every project, made anew, with a database, which another process may have open.
pub async fn check_database(path: &Path) -> EngineResult<IndexReport> {
    check_rows(IndexReader::open(path).await?).await
}

/// The same for whatever a reader reads.
pub async fn check_rows(reader: IndexReader) -> EngineResult<IndexReport> {
    let projects = reader.list_projects().await?.into_iter();
    let keys = projects.map(|(project_id, embedder)| IndexKey { project_id, embedder, after: 0 }).collect();
    check_anew(keys, &StoredRows(reader)).await
}

impl Engine {
    /// Compares every index in memory with the database, and lets go of those that differ, to be read anew.
    pub async fn check_indexes(&self) -> EngineResult<IndexReport> {
        let report = self.indexes.check(&self.stored_rows()).await?;
        for (project_id, memory_id) in &report.differing {
            tracing::error!(%project_id, %memory_id, "the index and the database differed");
        }
        Ok(report)
    }

    /// Forgets what was read into memory: the database may have gone on from before some of it.
    pub(crate) fn read_anew(&self) {
        self.indexes.forget_all();
        self.words.forget_all();
    }

    pub(crate) fn stored_rows(&self) -> StoredRows {
        StoredRows(self.store.index_reader())
    }
}

/// The store as indexes read it.
pub(crate) struct StoredRows(IndexReader);

impl RowSource for StoredRows {
    type Error = EngineError;

    async fn list_changed(&self, key: &IndexKey, since: i64, limit: usize) -> EngineResult<Vec<IndexRow>> {
        Ok(self.0.list_changed(key.project_id.clone(), key.embedder.as_str().to_owned(), since, limit).await?)
    }

    async fn list_by_id(&self, key: &IndexKey, after: MemoryId, limit: usize) -> EngineResult<Vec<IndexRow>> {
        Ok(self.0.list_by_id(key.project_id.clone(), key.embedder.as_str().to_owned(), after, limit).await?)
    }
}

impl From<JoinError> for EngineError {
    /// Work on another thread ends early only when the runtime does.
    fn from(_: JoinError) -> Self {
        StoreError::Closed.into()
    }
}

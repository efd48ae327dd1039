//! Where indexes read their rows, and how they keep up with them.

use std::sync::Arc;

use reflect_core::{EmbedderId, IndexRow, MemoryId, ProjectId};
use tokio::task::{JoinError, spawn_blocking};

use crate::index::Index;

/// How many rows are read at a time.
pub(crate) const PAGE: usize = 1_000;

/// From this many changes on they are put in on a thread that may be busy for a while.
const MANY: usize = 64;

/// Whose memories an index holds, and by which embedder's vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexKey {
    /// The project.
    pub project_id: ProjectId,
    /// The embedder.
    pub embedder: EmbedderId,
}

/// Where indexes read their rows. Every change has a number that is higher than all before it in its project.
pub trait RowSource: Sync {
    /// Why rows could not be read, or not put in because the runtime ends.
    type Error: From<JoinError>;

    /// The rows that changed after `since`, in the order of their changes, at most `limit`.
    fn list_changed(
        &self,
        key: &IndexKey,
        since: i64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<IndexRow>, Self::Error>> + Send;

    /// All rows in the order of their ids, from behind `after` on, at most `limit`: what an index is checked against.
    fn list_by_id(
        &self,
        key: &IndexKey,
        after: MemoryId,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<IndexRow>, Self::Error>> + Send;
}

/// Brings in what is newer than the index, page by page. Answers whether there was anything.
pub(crate) async fn catch_up<S: RowSource>(index: &Arc<Index>, key: &IndexKey, source: &S) -> Result<bool, S::Error> {
    let mut any = false;
    loop {
        let changes = source.list_changed(key, index.changed(), PAGE).await?;
        let (complete, many) = (changes.len() < PAGE, changes.len() >= MANY);
        any |= !changes.is_empty();
        if many {
            let index = Arc::clone(index);
            spawn_blocking(move || index.apply(changes)).await?;
        } else {
            index.apply(changes);
        }
        if complete {
            return Ok(any);
        }
    }
}

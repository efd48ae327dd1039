//! Where indexes read their rows, and how they keep up with them.

use std::sync::Arc;

use reflect_core::{EmbedderId, IndexRow, MemoryId, ProjectId};
use tokio::task::{JoinError, spawn_blocking};

use crate::index::Index;

/// How many rows are read at a time.
pub(crate) const PAGE: usize = 1_000;

/// From this many changes on they are put in on a thread that may be busy for a while: this one answers requests.
const MANY: usize = 64;

/// The same from this many bytes of metadata on, which are hashed piece by piece: about half a millisecond's work.
const MUCH_METADATA: usize = 16_384;

/// Whose memories an index holds, and by which embedder's vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexKey {
    /// The project.
    pub project_id: ProjectId,
    /// The embedder.
    pub embedder: EmbedderId,
    /// Only memories that changed after this one; 0 for all.
    pub after: i64,
}

impl IndexKey {
    /// Whether the index has to have this row. One of everything has to have even those whose change has no number, which is a damage.
    pub(crate) const fn covers(&self, row: &IndexRow) -> bool {
        self.after == 0 || row.changed > self.after
    }
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
        let complete = changes.len() < PAGE;
        any |= !changes.is_empty();
        if take_long(&changes) {
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

fn take_long(changes: &[IndexRow]) -> bool {
    let metadata = changes.iter().filter_map(|row| row.entry.as_ref()).map(|entry| entry.metadata.as_str().len());
    changes.len() >= MANY || metadata.sum::<usize>() >= MUCH_METADATA
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, sync::mpsc, task::Poll};

    use reflect_core::{IndexEntry, RawJson};
    use serde_json::json;
    use tokio::runtime::Builder;
    use uuid::Uuid;

    use super::*;

    /// One row, which is there at once.
    struct OneRow(RawJson);

    impl RowSource for OneRow {
        type Error = JoinError;

        async fn list_changed(&self, _: &IndexKey, since: i64, _: usize) -> Result<Vec<IndexRow>, JoinError> {
            let entry = IndexEntry { metadata: self.0.clone(), ..IndexEntry::new(vec![0.6, -0.8]) };
            let row = IndexRow { memory_id: MemoryId::from_uuid(Uuid::nil()), changed: 1, entry: Some(entry) };
            Ok(if since == 0 { vec![row] } else { Vec::new() })
        }

        async fn list_by_id(&self, key: &IndexKey, _: MemoryId, limit: usize) -> Result<Vec<IndexRow>, JoinError> {
            self.list_changed(key, 0, limit).await
        }
    }

    /// Whether the work is left to another thread. The only other one here is busy until that is seen.
    fn is_put_in_elsewhere(metadata: serde_json::Value) -> bool {
        let (index, source) = (Arc::new(Index::default()), OneRow(RawJson::from_value(&metadata)));
        let key = IndexKey { project_id: "p".parse().unwrap(), embedder: EmbedderId("e".into()), after: 0 };
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let (release, released) = mpsc::channel::<()>();
            let busy = spawn_blocking(move || released.recv().unwrap_err());
            let mut caught_up = pin!(catch_up(&index, &key, &source));
            let first = poll_fn(|context| Poll::Ready(caught_up.as_mut().poll(context))).await;
            let elsewhere = first.is_pending();
            drop(release);
            busy.await.unwrap();
            if elsewhere {
                caught_up.await.unwrap();
            }
            assert_eq!(index.len(), 1);
            elsewhere
        })
    }

    #[test]
    fn large_metadata_is_put_in_on_a_thread_that_answers_nobody() {
        assert!(is_put_in_elsewhere(json!({"words": vec!["a word"; 10_000]})));
        assert!(!is_put_in_elsewhere(json!({"words": ["a word"]})), "a hop costs more than it saves");
    }
}

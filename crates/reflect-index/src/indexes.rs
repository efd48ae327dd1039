//! The indexes of all projects, an LRU cache: made on first use, brought up to date by every query, dropped when memory is short.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use hashlink::LruCache;
use reflect_core::{EmbedderId, ProjectId};
use uuid::Uuid;

use crate::{
    check::IndexReport,
    follow::{IndexKey, RowSource, catch_up},
    index::Index,
};

/// The indexes of the projects that were asked about most recently.
pub struct Indexes {
    /// How many bytes they may take together.
    most_bytes: usize,
    by_project: Mutex<LruCache<ProjectId, Entry>>,
    /// How many looks at what has changed have begun, in all of them together.
    begun: AtomicU64,
}

/// When a query came. A look that began later sees everything that was stored before the query.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    begun_before: u64,
}

struct Entry {
    /// Of which life of the project: a deleted one's id can be used again.
    incarnation: Uuid,
    embedder: EmbedderId,
    after: i64,
    bytes: usize,
    live: Arc<LiveIndex>,
}

/// An index that follows the database. Queries share their looks at what has changed: one serves all that came before it began, whatever else they
/// had to wait for. Whoever comes while somebody looks waits for the next look, and one of those who wait looks for all of them.
#[derive(Default)]
struct LiveIndex {
    index: Arc<Index>,
    /// The newest look that has ended. Held by the one who looks.
    ended: tokio::sync::Mutex<u64>,
}

impl Indexes {
    /// Indexes that take so many bytes together. The one in use may take more.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, by_project: Mutex::new(LruCache::new_unbounded()), begun: AtomicU64::new(0) }
    }

    /// A query comes now.
    pub fn arrive(&self) -> Arrival {
        Arrival { begun_before: self.begun.load(Ordering::Acquire) }
    }

    /// The index of this life of the project, with everything that was stored before a query came.
    pub async fn open<S: RowSource>(
        &self,
        key: &IndexKey,
        incarnation: Uuid,
        arrival: Arrival,
        source: &S,
    ) -> Result<Arc<Index>, S::Error> {
        let live = self.get(key, incarnation);
        let mut ended = live.ended.lock().await;
        if *ended <= arrival.begun_before {
            let look = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
            let changed = catch_up(&live.index, key, source).await?;
            *ended = look;
            if changed {
                self.make_room(&key.project_id, &live);
            }
        }
        Ok(Arc::clone(&live.index))
    }

    /// Compares every index with its rows. One that differs is dropped, to be read anew.
    pub async fn check<S: RowSource>(&self, source: &S) -> Result<IndexReport, S::Error> {
        let live: Vec<(IndexKey, Arc<LiveIndex>)> = {
            let by_project = self.lock();
            let entry = |(project_id, entry): (&ProjectId, &Entry)| {
                let (project_id, embedder) = (project_id.clone(), entry.embedder.clone());
                let key = IndexKey { project_id, embedder, after: entry.after };
                (key, Arc::clone(&entry.live))
            };
            by_project.iter().map(entry).collect()
        };
        let mut report = IndexReport::default();
        for (key, live) in live {
            let project_id = key.project_id.clone();
            if !report.add(&live.index, key, source).await? {
                self.forget(&project_id);
            }
        }
        Ok(report)
    }

    /// Drops a project's index.
    pub fn forget(&self, project_id: &ProjectId) {
        self.lock().remove(project_id);
    }

    /// Drops all of them.
    pub fn forget_all(&self) {
        self.lock().clear();
    }

    /// The index of this life of the project and of its embedder; one of an earlier life, or of vectors that nothing is
    /// compared with any more, is replaced.
    fn get(&self, key: &IndexKey, incarnation: Uuid) -> Arc<LiveIndex> {
        let mut by_project = self.lock();
        let is_this = |entry: &&Entry| {
            (entry.incarnation, &entry.embedder, entry.after) == (incarnation, &key.embedder, key.after)
        };
        if let Some(entry) = by_project.get(&key.project_id).filter(is_this) {
            return Arc::clone(&entry.live);
        }
        let live = Arc::new(LiveIndex { index: Arc::new(Index::after(key.after)), ..LiveIndex::default() });
        let (embedder, after) = (key.embedder.clone(), key.after);
        let entry = Entry { incarnation, embedder, after, bytes: 0, live: Arc::clone(&live) };
        by_project.insert(key.project_id.clone(), entry);
        live
    }

    /// Drops the least recently used indexes until the rest fits. The one in use stays.
    fn make_room(&self, in_use: &ProjectId, live: &Arc<LiveIndex>) {
        let bytes = live.index.bytes();
        let mut by_project = self.lock();
        if let Some(entry) = by_project.peek_mut(in_use).filter(|entry| Arc::ptr_eq(&entry.live, live)) {
            entry.bytes = bytes;
        }
        while by_project.iter().map(|(_, entry)| entry.bytes).sum::<usize>() > self.most_bytes {
            let mut oldest_first = by_project.iter().map(|(project_id, _)| project_id);
            let Some(oldest) = oldest_first.find(|project_id| *project_id != in_use).cloned() else { break };
            by_project.remove(&oldest);
            tracing::info!(project_id = %oldest, "let the index of a project go to make room");
        }
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<ProjectId, Entry>> {
        self.by_project.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use reflect_core::{IndexRow, MemoryId};
    use tokio::{sync::Semaphore, task::JoinError};

    use super::*;

    /// Counts looks, each of which ends when it is let.
    struct Counted {
        looks: AtomicU64,
        may_end: Semaphore,
    }

    impl RowSource for Counted {
        type Error = JoinError;

        async fn list_changed(&self, _: &IndexKey, _: i64, _: usize) -> Result<Vec<IndexRow>, JoinError> {
            self.looks.fetch_add(1, Ordering::Relaxed);
            self.may_end.acquire().await.unwrap().forget();
            Ok(Vec::new())
        }

        async fn list_by_id(&self, _: &IndexKey, _: MemoryId, _: usize) -> Result<Vec<IndexRow>, JoinError> {
            Ok(Vec::new())
        }
    }

    #[tokio::test]
    async fn those_who_come_while_somebody_looks_share_the_next_look() {
        let key = IndexKey { project_id: "p".parse().unwrap(), embedder: EmbedderId("e".into()), after: 0 };
        let (indexes, source) = (Indexes::new(1), Counted { looks: AtomicU64::new(0), may_end: Semaphore::new(0) });
        let open_for = |arrival| indexes.open(&key, Uuid::nil(), arrival, &source);
        let open = || async { open_for(indexes.arrive()).await.unwrap() };
        let early = indexes.arrive();
        let let_both_end = async { source.may_end.add_permits(2) };
        tokio::join!(open(), open(), open(), open(), let_both_end);
        assert_eq!(source.looks.load(Ordering::Relaxed), 2, "one began before the other three came");
        open_for(early).await.unwrap();
        assert_eq!(
            source.looks.load(Ordering::Relaxed),
            2,
            "both began after this one came, who waited for something else"
        );
        source.may_end.add_permits(1);
        open().await;
        assert_eq!(source.looks.load(Ordering::Relaxed), 3, "and none of them after this one");
    }
}

//! The indexes of all projects, an LRU cache: made on first use, brought up to date by every query, dropped when memory is short.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
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
}

struct Entry {
    /// Of which life of the project: a deleted one's id can be used again.
    incarnation: Uuid,
    embedder: EmbedderId,
    after: i64,
    bytes: usize,
    live: Arc<LiveIndex>,
}

/// An index that follows the database.
#[derive(Default)]
struct LiveIndex {
    index: Arc<Index>,
    loaded: AtomicBool,
    /// Held by the one who loads, so that a second query waits for that rather than reading everything as well.
    loading: tokio::sync::Mutex<()>,
}

impl Indexes {
    /// Indexes that take so many bytes together. The one in use may take more.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, by_project: Mutex::new(LruCache::new_unbounded()) }
    }

    /// The index of this life of the project, as new as its rows are now.
    pub async fn open<S: RowSource>(
        &self,
        key: &IndexKey,
        incarnation: Uuid,
        source: &S,
    ) -> Result<Arc<Index>, S::Error> {
        let live = self.get(key, incarnation);
        let changed = if live.loaded.load(Ordering::Acquire) {
            catch_up(&live.index, key, source).await?
        } else {
            let _loading = live.loading.lock().await;
            let changed = catch_up(&live.index, key, source).await?;
            live.loaded.store(true, Ordering::Release);
            changed
        };
        if changed {
            self.make_room(&key.project_id, &live);
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

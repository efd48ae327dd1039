//! The indexes of all projects: made on first use, brought up to date by every query, let go when memory is short.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use reflect_core::{EmbedderId, IndexRow, Project, ProjectId};
use reflect_store::{IndexReader, Store, StoreError, StoreResult};
use uuid::Uuid;

use super::{Index, IndexReport, check::differing};

/// How many changed memories are fetched at a time.
pub(super) const PAGE: usize = 1_000;

/// From this many changes on they are put in on a thread that may be busy for a while.
const MANY: usize = 64;

/// The indexes of the projects that were asked about most recently.
pub(crate) struct Indexes {
    /// How many bytes they may take together.
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    by_project: HashMap<ProjectId, Entry>,
    /// Counts uses, to tell which was longest ago.
    uses: u64,
}

struct Entry {
    incarnation: Uuid,
    embedder: EmbedderId,
    last_use: u64,
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
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, state: Mutex::default() }
    }

    /// The project's index, as new as the database is now.
    pub(crate) async fn open(&self, project: &Project, store: &Store) -> StoreResult<Arc<Index>> {
        let (live, reader) = (self.get(project), store.index_reader());
        let changed = if live.loaded.load(Ordering::Acquire) {
            catch_up(&live.index, &project.id, &project.embedder, &reader).await?
        } else {
            let _loading = live.loading.lock().await;
            let changed = catch_up(&live.index, &project.id, &project.embedder, &reader).await?;
            live.loaded.store(true, Ordering::Release);
            changed
        };
        if changed {
            self.make_room(project, &live);
        }
        Ok(Arc::clone(&live.index))
    }

    /// Holds every index against the database. One that differs is let go, to be read anew.
    pub(crate) async fn check(&self, reader: &IndexReader) -> StoreResult<IndexReport> {
        let live: Vec<(ProjectId, EmbedderId, Arc<LiveIndex>)> = {
            let state = self.lock();
            let entries = state.by_project.iter();
            entries.map(|(id, entry)| (id.clone(), entry.embedder.clone(), Arc::clone(&entry.live))).collect()
        };
        let mut report = IndexReport::default();
        for (project_id, embedder, live) in live {
            let differing = differing(&live.index, &project_id, &embedder, reader).await?;
            if !differing.is_empty() {
                self.lock().by_project.remove(&project_id);
            }
            report.memories += live.index.len();
            report.differing.extend(differing.into_iter().map(|memory_id| (project_id.clone(), memory_id)));
        }
        Ok(report)
    }

    /// Lets a project's index go.
    pub(crate) fn forget(&self, project_id: &ProjectId) {
        self.lock().by_project.remove(project_id);
    }

    /// The index of this life of the project and of its embedder; one of an earlier life, or of vectors that nothing is
    /// compared with any more, is replaced.
    fn get(&self, project: &Project) -> Arc<LiveIndex> {
        let mut state = self.lock();
        state.uses += 1;
        let last_use = state.uses;
        let fresh = || Entry {
            incarnation: project.incarnation,
            embedder: project.embedder.clone(),
            last_use,
            bytes: 0,
            live: Arc::default(),
        };
        let entry = state.by_project.entry(project.id.clone()).or_insert_with(fresh);
        if entry.incarnation != project.incarnation || entry.embedder != project.embedder {
            *entry = fresh();
        }
        entry.last_use = last_use;
        Arc::clone(&entry.live)
    }

    /// Lets the indexes go that were not used for longest, until the rest fits. The one in use stays.
    fn make_room(&self, project: &Project, live: &Arc<LiveIndex>) {
        let bytes = live.index.bytes();
        let mut state = self.lock();
        if let Some(entry) = state.by_project.get_mut(&project.id).filter(|entry| Arc::ptr_eq(&entry.live, live)) {
            entry.bytes = bytes;
        }
        while state.by_project.values().map(|entry| entry.bytes).sum::<usize>() > self.most_bytes {
            let others = state.by_project.iter().filter(|(project_id, _)| **project_id != project.id);
            let oldest = others.min_by_key(|(_, entry)| entry.last_use).map(|(project_id, _)| project_id.clone());
            let Some(oldest) = oldest else { break };
            state.by_project.remove(&oldest);
            tracing::info!(project_id = %oldest, "let the index of a project go to make room");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Brings in what is newer than the index, page by page. Answers whether there was anything.
pub(super) async fn catch_up(
    index: &Arc<Index>,
    project_id: &ProjectId,
    embedder: &EmbedderId,
    reader: &IndexReader,
) -> StoreResult<bool> {
    let mut any = false;
    loop {
        let embedder = embedder.as_str().to_owned();
        let changes = reader.list_changed(project_id.clone(), embedder, index.changed(), PAGE).await?;
        let (complete, many) = (changes.len() < PAGE, changes.len() >= MANY);
        any |= !changes.is_empty();
        match many {
            true => apply_aside(Arc::clone(index), changes).await?,
            false => index.apply(changes),
        }
        if complete {
            return Ok(any);
        }
    }
}

async fn apply_aside(index: Arc<Index>, changes: Vec<IndexRow>) -> StoreResult<()> {
    tokio::task::spawn_blocking(move || index.apply(changes)).await.map_err(|_| StoreError::Closed)
}

//! Projects that do not fit in memory: which of them the database can search, and which wait for that.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use reflect_core::{EmbedderId, Project, ProjectId};
use reflect_index::{Index, IndexKey, RowSource, listed};
use reflect_store::{SearchState, SearchTables};

use crate::{Engine, EngineResult};

/// How many changes are written at a time. Putting one into a graph takes milliseconds.
const FILLED_AT_ONCE: usize = 100;

/// How long a database that could do nothing for a project is not asked again. Somebody may install the extension.
const REFUSED_FOR: Duration = Duration::from_secs(600);

/// What this instance knows of search tables.
#[derive(Default)]
pub(crate) struct Outgrown(Mutex<State>);

#[derive(Default)]
struct State {
    tables: Vec<Arc<SearchTables>>,
    /// Those that did not fit when they were read into memory, with the dimension of their vectors.
    wanted: HashMap<ProjectId, (EmbedderId, usize)>,
    /// Those that the database could do nothing for, and when that was.
    refused: HashMap<ProjectId, (EmbedderId, Instant)>,
}

impl Outgrown {
    /// The tables in which a project is searched that would take more memory than there is.
    pub(crate) fn find(
        &self,
        project_id: &ProjectId,
        embedder: &EmbedderId,
        index_memory: usize,
    ) -> Option<Arc<SearchTables>> {
        let is_theirs = |tables: &&Arc<SearchTables>| {
            (&tables.project_id, &tables.embedder, tables.state) == (project_id, embedder, SearchState::Ready)
        };
        let state = self.lock();
        state.tables.iter().find(is_theirs).filter(|tables| !fits(tables, index_memory)).map(Arc::clone)
    }

    /// Tables of a project turned out to be gone.
    pub(crate) fn forget(&self, project_id: &ProjectId) {
        self.lock().tables.retain(|tables| tables.project_id != *project_id);
    }

    /// Notes that a project does not fit.
    pub(crate) fn want(&self, key: &IndexKey, dimension: usize, now: Instant) {
        let mut state = self.lock();
        let is_theirs =
            |tables: &Arc<SearchTables>| (&tables.project_id, &tables.embedder) == (&key.project_id, &key.embedder);
        let is_refused = state.refused.get(&key.project_id).is_some_and(|(embedder, refused_at)| {
            *embedder == key.embedder && now.saturating_duration_since(*refused_at) < REFUSED_FOR
        });
        if !is_refused && !state.tables.iter().any(is_theirs) {
            state.wanted.insert(key.project_id.clone(), (key.embedder.clone(), dimension));
        }
    }

    fn refuse(&self, project_id: ProjectId, embedder: EmbedderId, now: Instant) {
        self.lock().refused.insert(project_id, (embedder, now));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a project takes so little memory that it need not be searched in the database any more. What it takes is an estimate, and one that
/// is near the limit must not go back and forth.
fn fits(tables: &SearchTables, index_memory: usize) -> bool {
    Index::bytes_of(tables.memories, tables.dimension) <= index_memory / 2
}

impl Engine {
    /// Makes tables for projects that were found not to fit, and looks which tables there are.
    pub async fn look_for_search_tables(&self) -> EngineResult<Vec<SearchTables>> {
        let wanted = std::mem::take(&mut self.outgrown.lock().wanted);
        for (project_id, (embedder, dimension)) in wanted {
            let made = self.store.insert_search_tables(project_id.clone(), embedder.clone(), dimension).await?;
            if !made {
                tracing::info!(%project_id, "does not fit in memory, and the database cannot search it: that takes the extension `vector` and at most 4,000 dimensions");
                self.outgrown.refuse(project_id, embedder, Instant::now());
            }
        }
        let tables = self.store.list_search_tables().await?;
        self.outgrown.lock().tables = tables.iter().cloned().map(Arc::new).collect();
        Ok(tables)
    }

    /// Brings all search tables one step nearer to what they are to have. Says whether there is more to do.
    pub async fn step_search_tables(&self) -> EngineResult<bool> {
        let mut has_more = false;
        for tables in self.look_for_search_tables().await? {
            let project = self.find_project(&tables.project_id).await?;
            if project.is_some_and(|project| self.needs(&project, &tables)) {
                has_more |= self.fill_search_tables(tables).await?;
            } else {
                tracing::info!(project_id = %tables.project_id, "removed search tables that nobody needs");
                self.store.delete_search_tables(tables).await?;
            }
        }
        Ok(has_more)
    }

    /// Whether queries may want tables. A project that has become much smaller than what fits in memory does without.
    fn needs(&self, project: &Project, tables: &SearchTables) -> bool {
        let target = project.embedder_switch.as_ref().map(|switch| &switch.target);
        let is_compared = project.embedder == tables.embedder || target == Some(&tables.embedder);
        let is_for_nothing = tables.state == SearchState::Ready && fits(tables, self.settings.index_memory);
        is_compared && !is_for_nothing && tables.state != SearchState::Broken
    }

    /// Brings some changes in, and says whether there may be more.
    async fn fill_search_tables(&self, mut tables: SearchTables) -> EngineResult<bool> {
        let key = IndexKey { project_id: tables.project_id.clone(), embedder: tables.embedder.clone(), after: 0 };
        let changes = self.stored_rows().list_changed(&key, tables.filled_to, FILLED_AT_ONCE).await?;
        let (is_last, dimension) = (changes.len() < FILLED_AT_ONCE, tables.dimension);
        if changes.is_empty() && tables.state == SearchState::Ready {
            return Ok(false);
        }
        let filled_to = changes.last().map_or(tables.filled_to, |last| last.changed);
        let rows = changes.into_iter().map(|row| listed(row, dimension)).collect();
        if !self.store.fill_search_tables(tables.clone(), rows, filled_to).await? {
            return Ok(false);
        }
        tables.filled_to = filled_to;
        let has_new_graph = self.store.make_search_graph(tables.clone(), self.settings.graph_from).await?;
        if is_last {
            self.store.finish_search_tables(tables, self.settings.remembered_changes).await?;
        }
        Ok(!is_last || has_new_graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_asked_again_after_a_while() {
        let (outgrown, now) = (Outgrown::default(), Instant::now());
        let key =
            IndexKey { project_id: "shop".parse().unwrap(), embedder: EmbedderId("hashing".to_owned()), after: 0 };
        let is_wanted = |now: Instant| {
            outgrown.want(&key, 384, now);
            !std::mem::take(&mut outgrown.lock().wanted).is_empty()
        };
        assert!(is_wanted(now));
        outgrown.refuse(key.project_id.clone(), key.embedder.clone(), now);
        assert!(!is_wanted(now + REFUSED_FOR / 2));
        assert!(is_wanted(now + REFUSED_FOR));
    }
}

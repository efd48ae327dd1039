//! Where a project is searched: in memory, or, if it does not fit there, in the database.

use std::{sync::Arc, time::Instant};

use reflect_core::Project;
use reflect_index::{Arrival, CandidateSearch, Found, Index, IndexKey, Search};
use reflect_store::{SearchTables, WaitedFor, waiting_for};

use crate::{Asker, Engine, EngineResult, embedding::EmbeddedTask};

/// Why a better memory may be missing from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approximation {
    /// Similar memories were looked up in a graph. Of those that it named, none is missing.
    Graph,
    /// The search was ended before it was certain that no other memory scores as high.
    Unfinished,
}

impl Approximation {
    /// As clients see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Unfinished => "unfinished",
        }
    }
}

/// What a search needs.
pub(crate) struct Searchable {
    pub(crate) project: Arc<Project>,
    pub(crate) task: EmbeddedTask,
    pub(crate) place: Place,
}

/// Where memories are.
#[derive(Clone)]
pub(crate) enum Place {
    /// All of them in memory.
    Memory(Arc<Index>),
    /// Those that changed last in memory, all but them in the database.
    Database { newest: Arc<Index>, tables: Arc<SearchTables> },
}

impl Engine {
    /// The task as a vector, and an index that has everything which it can be compared with and that is not in the database.
    pub(crate) async fn open_index(&self, asker: Asker<'_>, task: &str) -> EngineResult<Searchable> {
        loop {
            let arrival = self.indexes.arrive();
            let project = self.open_project(asker).await?;
            let task = self.embed_query(&project, task).await?;
            let place = self.open_place(&project, &task, arrival).await?;
            // If the project got another embedder meanwhile, what the old one made may be in the middle of being removed.
            let now = self.open_project(asker).await?;
            if now.embedder == project.embedder && now.embedder_switch == project.embedder_switch {
                return Ok(Searchable { project, task, place });
            }
        }
    }

    async fn open_place(&self, project: &Project, task: &EmbeddedTask, arrival: Arrival) -> EngineResult<Place> {
        let (project_id, embedder) = (project.id.clone(), task.embedder.clone());
        let tables = self.outgrown.find(&project_id, &embedder, self.settings.index_memory);
        let after = tables.as_ref().map_or(0, |tables| tables.remembered_from);
        let key = IndexKey { project_id, embedder, after };
        // A look at what has changed serves all who come before it, and before many searches there is time for more of them to come.
        waiting_for(WaitedFor::Search, self.search_threads.few_wait()).await;
        let index = self.indexes.open(&key, project.incarnation, arrival, &self.stored_rows()).await?;
        Ok(match tables {
            Some(tables) => Place::Database { newest: index, tables },
            None => {
                if self.store.is_shared() && index.bytes() > self.settings.index_memory {
                    self.outgrown.want(&key, task.vector.len(), Instant::now());
                }
                Place::Memory(index)
            }
        })
    }

    /// Searches on a thread that may be busy for a while: a query for a thousand memories must not keep the others from being answered.
    ///
    /// `None` if the database does not have the project's tables any more.
    pub(crate) async fn search(&self, place: Place, search: Search) -> EngineResult<Option<Searched>> {
        let searched = async {
            match place {
                Place::Memory(index) => self.search_index(index, search).await.map(Some),
                Place::Database { newest, tables } => self.search_database(newest, &tables, search).await,
            }
        };
        waiting_for(WaitedFor::Search, searched).await
    }

    async fn search_index(&self, index: Arc<Index>, search: Search) -> EngineResult<Searched> {
        let useful_threads = index.useful_threads();
        let search = move |threads| {
            let found = index.search(&search, threads);
            Searched { search, found, approximate: None }
        };
        self.search_threads.search(useful_threads, search).await
    }

    /// Reads as much of the database's lists as it takes for a certain answer, or as a search may.
    async fn search_database(
        &self,
        newest: Arc<Index>,
        tables: &SearchTables,
        search: Search,
    ) -> EngineResult<Option<Searched>> {
        let wishes = CandidateSearch::wishes(&search);
        let (mut candidates, mut searched) = (CandidateSearch::new(&newest), None);
        let search = Arc::new(search);
        for wish in wishes {
            let Some(lists) = self.store.read_search_lists(tables, wish).await? else { return Ok(None) };
            let rows = self.store.list_index_rows(tables, candidates.take_new(&search, &lists)).await?;
            let search = Arc::clone(&search);
            let (is_whole, by_graph) = (lists.are_whole(), lists.by_graph);
            let search = move |_| {
                candidates.add(rows);
                let found = candidates.search(&search, &lists);
                (candidates, found)
            };
            let (added_to, found) = self.search_threads.search(1, search).await?;
            candidates = added_to;
            let is_settled = !found.is_unsettled;
            let approximate = match (is_settled, by_graph && !is_whole) {
                (false, _) => Some(Approximation::Unfinished),
                (true, true) => Some(Approximation::Graph),
                (true, false) => None,
            };
            searched = Some((found, approximate));
            if is_settled {
                break;
            }
        }
        let (found, approximate) = searched.unwrap_or_default();
        Ok(Some(Searched { search: Arc::unwrap_or_clone(search), found, approximate }))
    }
}

/// What was searched for and what was found.
pub(crate) struct Searched {
    pub(crate) search: Search,
    pub(crate) found: Found,
    pub(crate) approximate: Option<Approximation>,
}

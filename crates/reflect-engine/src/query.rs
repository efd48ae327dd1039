//! Query: the lessons for a task.

use std::sync::Arc;

use reflect_core::{
    EmbedderId, Memory, Project, ProjectId, QuerySettings, RawJson, Retrieval, RetrievalId, Scope, ShownMemory, TraceId,
};
use reflect_index::{Hit, Index, IndexKey, Search};
use reflect_store::StampedMemory;
use serde_json::{Map, Value};

use crate::{Caller, Engine, EngineResult, StoreError, SwitchProgress, embedding::EmbeddedTask};

/// How often a query is ranked before it is answered although a memory keeps changing under it.
const TRIES: usize = 3;

/// What is asked. What is `None` follows the project, then the server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The task at hand.
    pub task: String,
    /// How many memories at most.
    pub limit: usize,
    /// The weight of utility.
    pub lambda: Option<f64>,
    /// The weight of score against diversity.
    pub mmr_lambda: Option<f64>,
    /// The floor on similarity.
    pub similarity_threshold: Option<f64>,
    /// What the metadata of a memory's trace must hold.
    pub metadata_filter: Option<Map<String, Value>>,
    /// Whether each memory's place by similarity alone is asked for, which takes a second look at all of them.
    pub explain: bool,
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct QueryAnswer {
    /// Names this answer, so that a run can say what it was shown.
    pub retrieval_id: RetrievalId,
    /// The settings that applied.
    pub settings: QuerySettings,
    /// The memories, best first.
    pub memories: Vec<RankedMemory>,
    /// How much was searched, if it was not everything: the project's embedder cannot run, and the one that it is on the
    /// way to does not know all memories yet.
    pub partial: Option<SwitchProgress>,
}

/// What a search needs.
struct Searchable {
    project: Arc<Project>,
    task: EmbeddedTask,
    index: Arc<Index>,
}

/// A memory in its place.
#[derive(Debug, Clone)]
pub struct RankedMemory {
    /// The memory.
    pub memory: Arc<Memory>,
    /// Its similarity to the task.
    pub similarity: f64,
    /// The blend of similarity and utility.
    pub score: f64,
    /// Why it is where it is.
    pub explanation: Explanation,
}

/// Why a memory is where it is, beyond what it says itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explanation {
    /// Its place had similarity alone decided, from 1, if that was asked for.
    pub similarity_rank: Option<u32>,
    /// What it lost for being near to those picked before it.
    pub mmr_penalty: f64,
    /// The run it was learned from.
    pub trace_id: TraceId,
    /// The floor on similarity that it passed, if there was one.
    pub similarity_threshold: Option<f64>,
}

impl Engine {
    /// The memories that serve a task best. Logs what was shown, without keeping the caller waiting for it.
    pub async fn query(&self, caller: &Caller, project_id: &ProjectId, query: Query) -> EngineResult<QueryAnswer> {
        caller.require(Scope::MemoryRead, project_id)?;
        let Answer { project, ask, found } = self.find(caller, project_id, &query).await?;
        let Ask { task, settings, .. } = ask;
        let partial = if task.is_partial { Some(self.searched_part(&project, &task.embedder).await?) } else { None };
        let now = self.now();
        let retrieval = Retrieval {
            id: RetrievalId::mint(now, &*self.entropy),
            key_id: caller.key_id,
            task: query.task,
            shown: (1..).zip(&found).map(|(rank, found)| shown(rank, found)).collect(),
            settings: settings.clone(),
            created_at: now,
        };
        let retrieval_id = retrieval.id;
        self.store.insert_retrieval(project_id.clone(), retrieval).await?;
        let memories = found.into_iter().map(|found| ranked(found, settings.similarity_threshold)).collect();
        Ok(QueryAnswer { retrieval_id, settings, memories, partial })
    }

    /// The task as a vector, and an index that has everything which it can be compared with.
    async fn open_index(&self, caller: &Caller, project_id: &ProjectId, task: &str) -> EngineResult<Searchable> {
        loop {
            let project = self.open_project(caller, project_id).await?;
            let task = self.embed_query(&project, task).await?;
            let key = IndexKey { project_id: project.id.clone(), embedder: task.embedder.clone() };
            let index = self.indexes.open(&key, project.incarnation, &self.stored_rows()).await?;
            // If the project got another embedder meanwhile, what the old one made may be in the middle of being removed.
            let now = self.open_project(caller, project_id).await?;
            if now.embedder == project.embedder && now.embedder_switch == project.embedder_switch {
                return Ok(Searchable { project, task, index });
            }
        }
    }

    /// The best memories with their words. The index ranks, the database has the words; a memory that changed between the two
    /// is ranked again, so that its words, its utility and its place are of one moment.
    async fn find(&self, caller: &Caller, project_id: &ProjectId, query: &Query) -> EngineResult<Answer> {
        let mut tries_left = TRIES;
        loop {
            let Searchable { project, task, index } = self.open_index(caller, project_id, &query.task).await?;
            let settings = self.query_settings(&project, &task.embedder, query);
            let ask = Ask { task, settings, filter: query.metadata_filter.clone(), explain: query.explain };
            let (ask, hits) = self.search(index, ask).await?;
            let memory_ids = hits.iter().map(|hit| hit.memory_id).collect();
            let memories = self.store.get_stamped_memories(project_id.clone(), memory_ids).await?;
            let as_ranked = |hit: &Hit, stamped: &StampedMemory| {
                (hit.memory_id, hit.changed) == (stamped.memory.id, stamped.changed)
            };
            let unchanged = hits.len() == memories.len()
                && hits.iter().zip(&memories).all(|(hit, stamped)| as_ranked(hit, stamped));
            tries_left -= 1;
            if unchanged || tries_left == 0 {
                return Ok(Answer { project, ask, found: put_together(hits, memories) });
            }
        }
    }

    /// Searches on a thread that may be busy for a while, as many at a time as there are cores: a query for a thousand
    /// memories must not keep the others from being answered. A large project takes a second thread if a core is idle.
    async fn search(&self, index: Arc<Index>, ask: Ask) -> EngineResult<(Ask, Vec<Hit>)> {
        let permit = Arc::clone(&self.searches).acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let mut permits = vec![permit];
        while permits.len() < index.useful_threads()
            && let Ok(permit) = Arc::clone(&self.searches).try_acquire_owned()
        {
            permits.push(permit);
        }
        let search = move || {
            let search = Search {
                task: &ask.task.vector,
                settings: &ask.settings,
                filter: ask.filter.as_ref(),
                threads: permits.len(),
                explain: ask.explain,
            };
            let hits = index.search(&search);
            (ask, hits)
        };
        Ok(tokio::task::spawn_blocking(search).await?)
    }

    /// The query's own value, else the project's, else the server's, else (for the floor) the embedder's.
    fn query_settings(&self, project: &Project, embedder: &EmbedderId, query: &Query) -> QuerySettings {
        let own = &project.settings;
        let embedders_floor = || self.embedders.get(embedder).and_then(|embedder| embedder.default_floor());
        QuerySettings {
            limit: query.limit,
            lambda: query.lambda.or(own.lambda).unwrap_or(self.settings.lambda),
            mmr_lambda: query.mmr_lambda.or(own.mmr_lambda).unwrap_or(self.settings.mmr_lambda),
            similarity_threshold: query
                .similarity_threshold
                .or(own.similarity_threshold)
                .or(self.settings.similarity_threshold)
                .or_else(embedders_floor),
            metadata_filter: query.metadata_filter.as_ref().map(RawJson::from_value),
        }
    }
}

/// What an index is asked.
struct Ask {
    task: EmbeddedTask,
    settings: QuerySettings,
    filter: Option<Map<String, Value>>,
    explain: bool,
}

/// What was asked of which project, and what was found.
struct Answer {
    project: Arc<Project>,
    ask: Ask,
    found: Vec<Found>,
}

/// A memory that was found, with its words.
struct Found {
    hit: Hit,
    memory: Memory,
}

/// Joins what was ranked with its words. What is gone by now is left out; what has changed meanwhile shows the utility that it
/// was ranked by.
fn put_together(hits: Vec<Hit>, memories: Vec<StampedMemory>) -> Vec<Found> {
    let mut memories = memories.into_iter().peekable();
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        if let Some(stamped) = memories.next_if(|stamped| stamped.memory.id == hit.memory_id) {
            let mut memory = stamped.memory;
            memory.tally = memory.tally.ranked_by(hit.utility);
            found.push(Found { hit, memory });
        }
    }
    found
}

fn shown(rank: u32, found: &Found) -> ShownMemory {
    ShownMemory {
        memory_id: found.memory.id,
        revision: found.memory.revision,
        rank,
        similarity: found.hit.similarity,
        q_value: found.hit.utility,
        score: found.hit.score,
    }
}

fn ranked(found: Found, similarity_threshold: Option<f64>) -> RankedMemory {
    let Found { hit, memory } = found;
    RankedMemory {
        similarity: hit.similarity,
        score: hit.score,
        explanation: Explanation {
            similarity_rank: hit.similarity_rank,
            mmr_penalty: hit.mmr_penalty,
            trace_id: memory.trace_id,
            similarity_threshold,
        },
        memory: Arc::new(memory),
    }
}

//! What queries search: each project's vectors and utilities, in memory.
//!
//! The database is the truth. Every change to a memory there carries a number that only rises, so an index asks for what
//! is newer than it has, applies that, and then is as new as the question: a query that starts after a change was
//! acknowledged always sees it, and nothing has to be told to the index from outside.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use reflect_core::{
    Memory, MemoryId, Project, ProjectId, QuerySettings, RawJson, cosine, matches_metadata,
    ranking::{Candidate, Picked, blend, diversify, pool_size},
};
use reflect_store::{IndexRow, Store, StoreResult};
use serde_json::{Map, Value};
use uuid::Uuid;

/// How many changed memories are fetched at a time.
const PAGE: usize = 2_000;

/// The indexes of the projects that were asked about since the start.
#[derive(Default)]
pub(crate) struct Indexes {
    by_project: Mutex<HashMap<ProjectId, (Uuid, Arc<Index>)>>,
}

impl Indexes {
    /// The project's index, as new as the database is now.
    pub(crate) async fn open(&self, project: &Project, store: &Store) -> StoreResult<Arc<Index>> {
        let index = self.get(project);
        loop {
            let since = index.rows.read().unwrap_or_else(PoisonError::into_inner).changed;
            let embedder = project.embedder.as_str().to_owned();
            let changed = store.list_changed_memories(project.id.clone(), embedder, since, PAGE).await?;
            let complete = changed.len() < PAGE;
            if !changed.is_empty() {
                index.rows.write().unwrap_or_else(PoisonError::into_inner).apply(changed);
            }
            if complete {
                return Ok(index);
            }
        }
    }

    /// Lets a project's index go.
    pub(crate) fn forget(&self, project_id: &ProjectId) {
        self.by_project.lock().unwrap_or_else(PoisonError::into_inner).remove(project_id);
    }

    /// The index of this life of the project; one of an earlier life is replaced.
    fn get(&self, project: &Project) -> Arc<Index> {
        let mut indexes = self.by_project.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || (project.incarnation, Arc::default());
        let entry = indexes.entry(project.id.clone()).or_insert_with(fresh);
        if entry.0 != project.incarnation {
            *entry = fresh();
        }
        Arc::clone(&entry.1)
    }
}

/// One project's memories, ready to be searched.
#[derive(Default)]
pub(crate) struct Index {
    rows: RwLock<Rows>,
}

#[derive(Default)]
struct Rows {
    /// The newest change that is in here.
    changed: i64,
    rows: Vec<Row>,
    places: HashMap<MemoryId, usize>,
}

struct Row {
    memory: Arc<Memory>,
    metadata: Value,
    vector: Vec<f32>,
}

impl Rows {
    /// Applies changes in their order. Two queries may fetch overlapping changes; whoever comes second skips what is known.
    fn apply(&mut self, changed: Vec<IndexRow>) {
        for row in changed {
            if row.changed <= self.changed {
                continue;
            }
            self.changed = row.changed;
            match row.entry {
                Some((memory, vector)) => self.put(memory, vector),
                None => self.remove(row.memory_id),
            }
        }
    }

    fn put(&mut self, memory: Memory, vector: Vec<f32>) {
        let memory_id = memory.id;
        let metadata = memory.metadata.read().unwrap_or_else(|_| readable_part(&memory.metadata));
        let row = Row { memory: Arc::new(memory), metadata, vector };
        match self.places.get(&memory_id).and_then(|place| self.rows.get_mut(*place)) {
            Some(known) => *known = row,
            None => {
                self.places.insert(memory_id, self.rows.len());
                self.rows.push(row);
            }
        }
    }

    fn remove(&mut self, memory_id: MemoryId) {
        let Some(place) = self.places.remove(&memory_id) else {
            return;
        };
        self.rows.swap_remove(place);
        if let Some(moved) = self.rows.get(place) {
            self.places.insert(moved.memory.id, place);
        }
    }
}

/// Metadata without the values that no [`Value`] can hold, such as `1e999` or a lone surrogate: they match no filter, and
/// the others still do.
fn readable_part(metadata: &RawJson) -> Value {
    let values: HashMap<String, RawJson> = metadata.read().unwrap_or_default();
    let readable = values.into_iter().filter_map(|(key, value)| Some((key, value.read().ok()?)));
    Value::Object(readable.collect())
}

/// A memory that a search found.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) memory: Arc<Memory>,
    pub(crate) similarity: f64,
    pub(crate) score: f64,
    /// Its place by similarity alone among all that passed floor and filter, from 1.
    pub(crate) similarity_rank: u32,
    /// What diversity took from it.
    pub(crate) mmr_penalty: f64,
}

impl Index {
    /// The best memories for a task, best first, after floor, filter and diversity.
    pub(crate) fn search(
        &self,
        task: &[f32],
        settings: &QuerySettings,
        filter: Option<&Map<String, Value>>,
    ) -> Vec<Hit> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let floor = settings.similarity_threshold.unwrap_or(f64::NEG_INFINITY);
        let passes = |row: &&Row| filter.is_none_or(|filter| matches_metadata(&row.metadata, filter));
        let mut scored: Vec<Scored<'_>> = rows
            .rows
            .iter()
            .filter(passes)
            .map(|row| Scored::new(row, task, settings.lambda))
            .filter(|scored| scored.similarity >= floor)
            .collect();
        rank_by_similarity(&mut scored);
        scored.sort_unstable_by(|left, right| Candidate::best_first(&left.candidate, &right.candidate));
        scored.truncate(pool_size(settings.limit));
        let pool: Vec<Candidate> = scored.iter().map(|scored| scored.candidate).collect();
        let nearness = |left: usize, right: usize| match (scored.get(left), scored.get(right)) {
            (Some(left), Some(right)) => cosine(&left.row.vector, &right.row.vector),
            _ => 0.0,
        };
        let picked = diversify(&pool, settings.limit, settings.mmr_lambda, nearness);
        picked.into_iter().filter_map(|picked| Some(scored.get(picked.place)?.hit(picked))).collect()
    }
}

struct Scored<'a> {
    row: &'a Row,
    candidate: Candidate,
    similarity: f64,
    similarity_rank: u32,
}

impl<'a> Scored<'a> {
    fn new(row: &'a Row, task: &[f32], lambda: f64) -> Self {
        let similarity = cosine(&row.vector, task);
        let score = blend(similarity, row.memory.tally.q_value, lambda);
        Self { row, candidate: Candidate { memory_id: row.memory.id, score }, similarity, similarity_rank: 0 }
    }

    fn hit(&self, picked: Picked) -> Hit {
        Hit {
            memory: Arc::clone(&self.row.memory),
            similarity: self.similarity,
            score: self.candidate.score,
            similarity_rank: self.similarity_rank,
            mmr_penalty: picked.penalty,
        }
    }
}

fn rank_by_similarity(scored: &mut [Scored<'_>]) {
    let by_similarity = |scored: &Scored<'_>| Candidate { score: scored.similarity, ..scored.candidate };
    scored.sort_unstable_by(|left, right| Candidate::best_first(&by_similarity(left), &by_similarity(right)));
    for (rank, scored) in (1..).zip(scored) {
        scored.similarity_rank = rank;
    }
}

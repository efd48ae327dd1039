//! What a skill may stand on.

use std::collections::BTreeMap;

use reflect_core::{
    Memory, MemoryId, ProjectId,
    worth::{LearningRule, Viewpoint},
};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Value, params},
    store::Store,
    tables::{
        credits::utility_column,
        memories::{self, BYTES, COLUMNS},
    },
};

/// A skill is made of memories that queries may answer with, where it is known how their runs went.
const SHOWN: &str = "project_id = ?1 AND deleted_at IS NULL AND status = 'active' AND success IS NOT NULL";

/// Of passed runs, of failed ones and of those that are kept, no further memory is read once they have this many bytes: one may have megabytes, and
/// there may be hundreds.
const ENOUGH_BYTES: usize = 4 << 20;

/// What a skill may stand on.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillCandidates {
    /// How many memories there are to choose from in all.
    pub found: usize,
    /// The best of them, each with its vector, which is empty if it has none by that embedder.
    pub best: Vec<(Memory, Vec<f32>)>,
}

/// Which memories a skill is to be made of.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillWish {
    /// By whose vectors.
    pub embedder: String,
    /// How their project sees them.
    pub viewpoint: Viewpoint,
    /// Those that the present version stands on.
    pub kept: Vec<MemoryId>,
    /// How many of passed and how many of failed runs.
    pub each: usize,
}

impl Store {
    /// The most useful memories of passed runs, then of failed ones, then those that are kept and not among them.
    pub async fn list_skill_candidates(&self, project_id: ProjectId, wish: SkillWish) -> StoreResult<SkillCandidates> {
        self.readers
            .read(move |read| {
                let SkillWish { embedder, viewpoint, kept, each } = wish;
                let count = format!("SELECT count(*) AS found FROM memories WHERE {SHOWN}");
                let found = read.query_one(&count, params![&project_id], |row| row.get("found"))?;
                let passed = most_useful(read, &project_id, (viewpoint.rule, true), each)?;
                let failed = most_useful(read, &project_id, (viewpoint.rule, false), each)?;
                let is_new = |id: &MemoryId| passed.iter().chain(&failed).all(|(known, _)| known != id);
                let others: Vec<MemoryId> = kept.into_iter().filter(is_new).collect();
                let others = memories::measure_all(read, &project_id, &others)?;
                let mut memories = Vec::new();
                for measured in [passed, failed, others] {
                    memories.extend(read_some(read, &project_id, &measured)?);
                }
                let memories = memories.into_iter().map(|memory| memory.seen_from(&viewpoint)).collect();
                Ok(SkillCandidates { found, best: with_vectors(read, &project_id, &embedder, memories)? })
            })
            .await
    }
}

/// The best of one outcome, with how many bytes each has.
fn most_useful(
    read: &dyn Read,
    project_id: &ProjectId,
    (rule, success): (LearningRule, bool),
    most: usize,
) -> StoreResult<Vec<(MemoryId, usize)>> {
    let utility = utility_column(rule);
    let sql = format!(
        "SELECT memory_id, {BYTES} AS bytes FROM memories WHERE {SHOWN} AND success = ?2
         ORDER BY {utility} DESC, uses DESC, memory_id DESC LIMIT ?3"
    );
    read.query_all(&sql, params![project_id, success, most], |row| Ok((row.get("memory_id")?, row.get("bytes")?)))
}

/// Reads the first of some memories, as many as are enough.
fn read_some(read: &dyn Read, project_id: &ProjectId, measured: &[(MemoryId, usize)]) -> StoreResult<Vec<Memory>> {
    let mut before = 0;
    let is_wanted = |(_, bytes): &&(MemoryId, usize)| {
        let is_wanted = before < ENOUGH_BYTES;
        before += bytes;
        is_wanted
    };
    let key = |(id, _): &(MemoryId, usize)| params![project_id, *id].to_vec();
    let keys: Vec<Vec<Value<'_>>> = measured.iter().take_while(is_wanted).map(key).collect();
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE {SHOWN} AND memory_id = ?2");
    read.query_all_of(&sql, &keys, memories::memory)
}

fn with_vectors(
    read: &dyn Read,
    project_id: &ProjectId,
    embedder: &str,
    memories: Vec<Memory>,
) -> StoreResult<Vec<(Memory, Vec<f32>)>> {
    let sql = "SELECT memory_id, vector FROM vectors WHERE project_id = ?1 AND memory_id = ?2 AND embedder = ?3";
    let keys: Vec<Vec<Value<'_>>> =
        memories.iter().map(|memory| params![project_id, memory.id, embedder].to_vec()).collect();
    let vector = |row: &dyn Row| Ok((row.get("memory_id")?, row.maybe_vector("vector")?));
    let mut vectors: BTreeMap<MemoryId, Option<Vec<f32>>> =
        read.query_all_of(sql, &keys, vector)?.into_iter().collect();
    let with_vector = |memory: Memory| {
        let vector = vectors.remove(&memory.id).flatten().unwrap_or_default();
        (memory, vector)
    };
    Ok(memories.into_iter().map(with_vector).collect())
}

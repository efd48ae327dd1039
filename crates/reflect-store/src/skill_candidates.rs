//! What a skill may stand on.

use reflect_core::{
    Memory, MemoryId, ProjectId,
    worth::{LearningRule, Viewpoint},
};

use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
    store::Store,
    tables::{
        credits::utility_column,
        memories::{self, COLUMNS},
    },
};

/// [`Memory::may_be_in_a_skill`] as a condition.
const SHOWN: &str = "project_id = ?1 AND deleted_at IS NULL AND status = 'active' AND success IS NOT NULL";

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
                let mut memories = most_useful(read, &project_id, viewpoint.rule, each)?;
                for memory_id in kept {
                    if memories.iter().all(|memory| memory.id != memory_id)
                        && let Some(memory) = memories::get(read, &project_id, memory_id)?
                        && memory.may_be_in_a_skill()
                    {
                        memories.push(memory);
                    }
                }
                let memories = memories.into_iter().map(|memory| memory.seen_from(&viewpoint)).collect();
                Ok(SkillCandidates { found, best: with_vectors(read, &project_id, &embedder, memories)? })
            })
            .await
    }
}

fn most_useful(read: &dyn Read, project_id: &ProjectId, rule: LearningRule, each: usize) -> StoreResult<Vec<Memory>> {
    let utility = utility_column(rule);
    let sql = format!(
        "SELECT {COLUMNS} FROM memories WHERE {SHOWN} AND success = ?2
         ORDER BY {utility} DESC, uses DESC, memory_id DESC LIMIT ?3"
    );
    let mut found = Vec::new();
    for success in [true, false] {
        found.extend(read.query_all(&sql, params![project_id, success, each], memories::memory)?);
    }
    Ok(found)
}

fn with_vectors(
    read: &dyn Read,
    project_id: &ProjectId,
    embedder: &str,
    memories: Vec<Memory>,
) -> StoreResult<Vec<(Memory, Vec<f32>)>> {
    let sql = "SELECT vector FROM vectors WHERE project_id = ?1 AND memory_id = ?2 AND embedder = ?3";
    let mut found = Vec::with_capacity(memories.len());
    for memory in memories {
        let vector = read.query_opt(sql, params![project_id, memory.id, embedder], |row| row.maybe_vector("vector"))?;
        found.push((memory, vector.flatten().unwrap_or_default()));
    }
    Ok(found)
}

//! What a skill may stand on.

use reflect_core::{Memory, MemoryId, ProjectId};

use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
    store::Store,
    tables::memories::{self, COLUMNS},
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

impl Store {
    /// The `each` most useful memories of passed runs, then of failed ones, then those of `kept` that are not among them.
    pub async fn list_skill_candidates(
        &self,
        project_id: ProjectId,
        embedder: String,
        kept: Vec<MemoryId>,
        each: usize,
    ) -> StoreResult<SkillCandidates> {
        self.readers
            .read(move |read| {
                let count = format!("SELECT count(*) AS found FROM memories WHERE {SHOWN}");
                let found = read.query_one(&count, params![&project_id], |row| row.get("found"))?;
                let mut memories = most_useful(read, &project_id, each)?;
                for memory_id in kept {
                    if memories.iter().all(|memory| memory.id != memory_id)
                        && let Some(memory) = memories::get(read, &project_id, memory_id)?
                        && memory.may_be_in_a_skill()
                    {
                        memories.push(memory);
                    }
                }
                Ok(SkillCandidates { found, best: with_vectors(read, &project_id, &embedder, memories)? })
            })
            .await
    }
}

fn most_useful(read: &dyn Read, project_id: &ProjectId, each: usize) -> StoreResult<Vec<Memory>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories WHERE {SHOWN} AND success = ?2
         ORDER BY q_value DESC, uses DESC, memory_id DESC LIMIT ?3"
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

//! Memories whose cached fold is still to be made anew, since evidence ages at another pace.

use reflect_core::{MemoryId, ProjectId};

use super::credits;
use crate::{
    error::StoreResult,
    sql::{Query, Read, Transaction, params},
};

/// How many are folded before the clock is looked at.
const AT_ONCE: usize = 16;

/// A project that has any.
pub(crate) fn next_project(read: &dyn Read) -> StoreResult<Option<ProjectId>> {
    let sql = "SELECT project_id FROM unfolded_memories ORDER BY project_id LIMIT 1";
    read.query_opt(sql, params![], |row| row.get("project_id"))
}

/// Notes all memories of a project that have learned something.
pub(crate) fn insert_all(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<()> {
    write.submit(
        "INSERT INTO unfolded_memories (project_id, memory_id)
         SELECT project_id, memory_id FROM memories WHERE project_id = ?1 AND uses > 0 ON CONFLICT DO NOTHING",
        params![project_id],
    )
}

/// Folds some of a project's; answers how many.
pub(crate) fn fold_some(write: &dyn Transaction, project_id: &ProjectId) -> StoreResult<usize> {
    let sql = "SELECT memory_id FROM unfolded_memories WHERE project_id = ?1 ORDER BY memory_id LIMIT ?2";
    let unfolded: Vec<MemoryId> = write.query_all(sql, params![project_id, AT_ONCE], |row| row.get("memory_id"))?;
    for &memory_id in &unfolded {
        // A fold is a change to the memory, which indexes read again.
        credits::refold(write, project_id, memory_id)?;
        write.submit(
            "DELETE FROM unfolded_memories WHERE project_id = ?1 AND memory_id = ?2",
            params![project_id, memory_id],
        )?;
    }
    Ok(unfolded.len())
}

/// Folds all of all projects.
pub(crate) fn fold_all(write: &dyn Transaction) -> StoreResult<()> {
    while let Some(project_id) = next_project(write)? {
        fold_some(write, &project_id)?;
    }
    Ok(())
}

//! Vectors that no query compares any more, and removing them little by little.

use reflect_core::{EmbedderId, MemoryId, ProjectId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, Read, Transaction, params},
};

/// Notes that nobody compares a project's vectors of `embedder` any more.
pub(crate) fn leave(write: &dyn Transaction, project_id: &ProjectId, embedder: &EmbedderId) -> StoreResult<()> {
    write.submit(
        "INSERT INTO leftover_vectors (project_id, embedder, deleted_to) VALUES (?1, ?2, ?3)
         ON CONFLICT (project_id, embedder) DO UPDATE SET deleted_to = excluded.deleted_to",
        params![project_id, embedder, Uuid::nil()],
    )
}

/// Takes that back.
pub(crate) fn keep(write: &dyn Transaction, project_id: &ProjectId, embedder: &EmbedderId) -> StoreResult<()> {
    write.submit("DELETE FROM leftover_vectors WHERE project_id = ?1 AND embedder = ?2", params![project_id, embedder])
}

/// A project that has any left.
pub(crate) fn find_project(read: &dyn Read) -> StoreResult<Option<ProjectId>> {
    read.query_opt("SELECT project_id FROM leftover_vectors LIMIT 1", params![], |row| row.get("project_id"))
}

/// Removes some of a project's, looking at `limit` vectors at most. Answers how many are gone.
pub(crate) fn delete_some(write: &dyn Transaction, project_id: &ProjectId, limit: usize) -> StoreResult<usize> {
    let leftover: Option<(EmbedderId, MemoryId)> = write.query_opt(
        "SELECT embedder, deleted_to FROM leftover_vectors WHERE project_id = ?1 LIMIT 1",
        params![project_id],
        |row| Ok((row.get("embedder")?, row.get("deleted_to")?)),
    )?;
    let Some((embedder, deleted_to)) = leftover else {
        return Ok(0);
    };
    // The end of the next stretch is found without regard to the embedder, so that even rare leftovers in a large project
    // keep the writer no longer than this.
    let stretch = write.query_all(
        "SELECT memory_id FROM vectors WHERE project_id = ?1 AND memory_id > ?2 ORDER BY memory_id LIMIT ?3",
        params![project_id, deleted_to, limit],
        |row| row.get::<MemoryId>("memory_id"),
    )?;
    let Some(&next) = stretch.last() else {
        keep(write, project_id, &embedder)?;
        return Ok(0);
    };
    let deleted = write.execute(
        "DELETE FROM vectors WHERE project_id = ?1 AND embedder = ?2 AND memory_id > ?3 AND memory_id <= ?4",
        params![project_id, &embedder, deleted_to, next],
    )?;
    write.submit(
        "UPDATE leftover_vectors SET deleted_to = ?3 WHERE project_id = ?1 AND embedder = ?2",
        params![project_id, &embedder, next],
    )?;
    Ok(deleted)
}

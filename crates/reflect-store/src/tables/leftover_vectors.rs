//! Vectors that no query compares any more, and removing them little by little.

use reflect_core::{EmbedderId, MemoryId, ProjectId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, Transaction, params},
};

/// Notes that nobody compares a project's vectors of `embedder` any more.
pub(crate) fn leave(write: &dyn Transaction, project_id: &ProjectId, embedder: &EmbedderId) -> StoreResult<()> {
    write.execute(
        "INSERT INTO leftover_vectors (project_id, embedder, deleted_to) VALUES (?1, ?2, ?3)
         ON CONFLICT (project_id, embedder) DO UPDATE SET deleted_to = excluded.deleted_to",
        params![project_id, embedder, Uuid::nil()],
    )?;
    Ok(())
}

/// Takes that back.
pub(crate) fn keep(write: &dyn Transaction, project_id: &ProjectId, embedder: &EmbedderId) -> StoreResult<()> {
    write.execute(
        "DELETE FROM leftover_vectors WHERE project_id = ?1 AND embedder = ?2",
        params![project_id, embedder],
    )?;
    Ok(())
}

/// Removes some, looking at `limit` vectors at most. Answers how many are gone; `None` if nothing was left to look at.
pub(crate) fn delete_some(write: &dyn Transaction, limit: usize) -> StoreResult<Option<usize>> {
    let leftover: Option<(ProjectId, EmbedderId, MemoryId)> =
        write.query_opt("SELECT project_id, embedder, deleted_to FROM leftover_vectors LIMIT 1", params![], |row| {
            Ok((row.get("project_id")?, row.get("embedder")?, row.get("deleted_to")?))
        })?;
    let Some((project_id, embedder, deleted_to)) = leftover else {
        return Ok(None);
    };
    // The end of the next stretch is found without regard to the embedder, so that even rare leftovers in a large project
    // keep the writer no longer than this.
    let stretch = write.query_all(
        "SELECT memory_id FROM vectors WHERE project_id = ?1 AND memory_id > ?2 ORDER BY memory_id LIMIT ?3",
        params![&project_id, deleted_to, limit],
        |row| row.get::<MemoryId>("memory_id"),
    )?;
    let Some(&next) = stretch.last() else {
        keep(write, &project_id, &embedder)?;
        return Ok(Some(0));
    };
    let deleted = write.execute(
        "DELETE FROM vectors WHERE project_id = ?1 AND embedder = ?2 AND memory_id > ?3 AND memory_id <= ?4",
        params![&project_id, &embedder, deleted_to, next],
    )?;
    write.execute(
        "UPDATE leftover_vectors SET deleted_to = ?3 WHERE project_id = ?1 AND embedder = ?2",
        params![&project_id, &embedder, next],
    )?;
    Ok(Some(deleted))
}

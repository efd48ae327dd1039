//! Vectors that no query compares any more, and removing them little by little.

use reflect_core::{EmbedderId, ProjectId};
use rusqlite::OptionalExtension;

use crate::{Store, StoreResult, writer::Write};

impl Store {
    /// Removes vectors that no query compares any more, looking at `limit` at most. Answers how many are gone; `None` if
    /// nothing was left to look at.
    pub async fn delete_leftover_vectors(&self, limit: usize) -> StoreResult<Option<usize>> {
        self.writer.write(move |write| delete_leftovers(write, limit)).await
    }
}

/// Notes that nobody compares a project's vectors of `embedder` any more.
pub(crate) fn leave(write: &Write, project_id: &ProjectId, embedder: &EmbedderId) -> StoreResult<()> {
    write
        .prepare_cached(
            "INSERT INTO leftover_vectors (project_id, embedder, deleted_to) VALUES (?1, ?2, ?3)
             ON CONFLICT (project_id, embedder) DO UPDATE SET deleted_to = excluded.deleted_to",
        )?
        .execute((project_id.as_str(), embedder.as_str(), uuid::Uuid::nil()))?;
    Ok(())
}

fn delete_leftovers(write: &Write, limit: usize) -> StoreResult<Option<usize>> {
    let leftover: Option<(String, String, Vec<u8>)> = write
        .prepare_cached("SELECT project_id, embedder, deleted_to FROM leftover_vectors LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((project_id, embedder, deleted_to)) = leftover else {
        return Ok(None);
    };
    // The end of the next stretch is found without regard to the embedder, so that even rare leftovers in a large project
    // keep the writer no longer than this.
    let next: Option<Vec<u8>> = write
        .prepare_cached(
            "SELECT max(memory_id) FROM (SELECT memory_id FROM vectors WHERE project_id = ?1 AND memory_id > ?2
                                         ORDER BY memory_id LIMIT ?3)",
        )?
        .query_row((&project_id, &deleted_to, limit), |row| row.get(0))?;
    let Some(next) = next else {
        write
            .prepare_cached("DELETE FROM leftover_vectors WHERE project_id = ?1 AND embedder = ?2")?
            .execute((&project_id, &embedder))?;
        return Ok(Some(0));
    };
    let deleted = write
        .prepare_cached(
            "DELETE FROM vectors WHERE project_id = ?1 AND embedder = ?2 AND memory_id > ?3 AND memory_id <= ?4",
        )?
        .execute((&project_id, &embedder, &deleted_to, &next))?;
    write
        .prepare_cached("UPDATE leftover_vectors SET deleted_to = ?3 WHERE project_id = ?1 AND embedder = ?2")?
        .execute((&project_id, &embedder, &next))?;
    Ok(Some(deleted))
}

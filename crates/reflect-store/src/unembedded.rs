//! Memories that have no vector of an embedder.

use reflect_core::{EmbedderId, MemoryId, ProjectId};
use rusqlite::Connection;

use crate::{Store, StoreResult};

/// A memory that has no vector of an embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The memory.
    pub memory_id: MemoryId,
    /// What is to be embedded.
    pub task: String,
}

/// Some of the memories that have no vector of an embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedPage {
    /// The memories, in the order of their changes.
    pub memories: Vec<Unembedded>,
    /// The change up to which every other memory has a vector.
    pub seen: i64,
}

/// How far the vectors of an embedder have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchProgress {
    /// How many memories have one.
    pub done: usize,
    /// How many memories there are.
    pub total: usize,
}

impl std::fmt::Display for SwitchProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "re-embedding {} of {}", self.done, self.total)
    }
}

/// True of memories, as `m`, that have no vector of `?2`.
pub(crate) const UNEMBEDDED: &str = "m.deleted_at IS NULL AND NOT EXISTS (
                              SELECT 1 FROM vectors v WHERE v.project_id = m.project_id
                              AND v.memory_id = m.memory_id AND v.embedder = ?2)";

impl Store {
    /// Memories that changed after `since` and have no vector of `embedder`, at most `limit`.
    pub async fn list_unembedded(
        &self,
        project_id: ProjectId,
        embedder: EmbedderId,
        since: i64,
        limit: usize,
    ) -> StoreResult<UnembeddedPage> {
        self.readers.read(move |read| list_unembedded(read, &project_id, &embedder, since, limit)).await
    }

    /// How many of a project's memories have a vector of `embedder`.
    pub async fn get_switch_progress(
        &self,
        project_id: ProjectId,
        embedder: EmbedderId,
    ) -> StoreResult<SwitchProgress> {
        self.readers
            .read(move |read| {
                let sql = "SELECT count(*), count(v.memory_id) FROM memories m
                           LEFT JOIN vectors v ON v.project_id = m.project_id AND v.memory_id = m.memory_id
                                              AND v.embedder = ?2
                           WHERE m.project_id = ?1 AND m.deleted_at IS NULL";
                let mut statement = read.prepare_cached(sql)?;
                Ok(statement.query_row((project_id.as_str(), embedder.as_str()), |row| {
                    Ok(SwitchProgress { total: row.get(0)?, done: row.get(1)? })
                })?)
            })
            .await
    }
}

fn list_unembedded(
    read: &Connection,
    project_id: &ProjectId,
    embedder: &EmbedderId,
    since: i64,
    limit: usize,
) -> StoreResult<UnembeddedPage> {
    let sql = format!(
        "SELECT m.memory_id, m.task, m.changed FROM memories m
         WHERE m.project_id = ?1 AND m.changed > ?3 AND {UNEMBEDDED} ORDER BY m.changed LIMIT ?4"
    );
    let found: Vec<(Unembedded, i64)> = read
        .prepare_cached(&sql)?
        .query_and_then((project_id.as_str(), embedder.as_str(), since, limit), |row| -> StoreResult<_> {
            let memory_id = MemoryId::from_uuid(row.get("memory_id")?);
            Ok((Unembedded { memory_id, task: row.get("task")? }, row.get("changed")?))
        })?
        .collect::<StoreResult<_>>()?;
    let seen = match found.last() {
        Some((_, changed)) if found.len() == limit => *changed,
        _ => newest_change(read, project_id)?.max(since),
    };
    Ok(UnembeddedPage { memories: found.into_iter().map(|(memory, _)| memory).collect(), seen })
}

fn newest_change(read: &Connection, project_id: &ProjectId) -> StoreResult<i64> {
    let mut statement = read.prepare_cached("SELECT max(changed) FROM memories WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id.as_str()], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0))
}

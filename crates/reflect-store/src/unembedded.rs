//! Memories that lack a vector of an embedder: of their task, or of what they say now.

use reflect_core::{EmbedderId, Lesson, MemoryId, ProjectId};

use crate::{
    error::StoreResult,
    sql::{Query, Read, params},
    store::Store,
};

/// A memory that lacks a vector of an embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The memory.
    pub memory_id: MemoryId,
    /// Which revision of it.
    pub revision: u32,
    /// Its task.
    pub task: String,
    /// Whether the task has its vector, so that only what the memory says lacks one.
    pub has_task_vector: bool,
    /// What it says.
    pub lesson: Lesson,
}

/// What a memory lacked.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVectors {
    /// The memory.
    pub memory_id: MemoryId,
    /// The revision whose words were embedded.
    pub revision: u32,
    /// The vector of its task, if it had none.
    pub task: Option<Vec<f32>>,
    /// The vector of its lesson.
    pub lesson: Vec<f32>,
}

/// Some of the memories that lack a vector of an embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedPage {
    /// The memories, in the order of their changes.
    pub memories: Vec<Unembedded>,
    /// The change up to which every other memory has its vectors.
    pub seen: i64,
}

/// How far the vectors of an embedder have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchProgress {
    /// How many memories have them.
    pub done: usize,
    /// How many memories there are.
    pub total: usize,
}

impl std::fmt::Display for SwitchProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "re-embedding {} of {}", self.done, self.total)
    }
}

/// True of memories, as `m`, that lack a vector of `?2`.
pub(crate) const UNEMBEDDED: &str = "m.deleted_at IS NULL AND NOT EXISTS (
                              SELECT 1 FROM vectors v WHERE v.project_id = m.project_id
                              AND v.memory_id = m.memory_id AND v.embedder = ?2 AND v.lesson_revision = m.revision)";

impl Store {
    /// Memories that changed after `since` and lack a vector of `embedder`, at most `limit`.
    pub async fn list_unembedded(
        &self,
        project_id: ProjectId,
        embedder: EmbedderId,
        since: i64,
        limit: usize,
    ) -> StoreResult<UnembeddedPage> {
        self.readers
            .read(move |read| {
                let sql = format!(
                    "SELECT m.memory_id, m.revision, m.task, m.lesson, m.changed,
                            EXISTS (SELECT 1 FROM vectors t WHERE t.project_id = m.project_id
                                    AND t.memory_id = m.memory_id AND t.embedder = ?2) AS has_task_vector
                     FROM memories m
                     WHERE m.project_id = ?1 AND m.changed > ?3 AND {UNEMBEDDED} ORDER BY m.changed LIMIT ?4"
                );
                let found = read.query_all(&sql, params![&project_id, &embedder, since, limit], |row| {
                    let memory = Unembedded {
                        memory_id: row.get("memory_id")?,
                        revision: row.get("revision")?,
                        task: row.get("task")?,
                        has_task_vector: row.get("has_task_vector")?,
                        lesson: row.json("lesson")?,
                    };
                    Ok((memory, row.get::<i64>("changed")?))
                })?;
                let seen = match found.last() {
                    Some((_, changed)) if found.len() == limit => *changed,
                    _ => newest_change(read, &project_id)?.max(since),
                };
                Ok(UnembeddedPage { memories: found.into_iter().map(|(memory, _)| memory).collect(), seen })
            })
            .await
    }

    /// How many of a project's memories have their vectors of `embedder`.
    pub async fn get_switch_progress(
        &self,
        project_id: ProjectId,
        embedder: EmbedderId,
    ) -> StoreResult<SwitchProgress> {
        self.readers
            .read(move |read| {
                read.query_one(
                    "SELECT count(*) AS total, count(v.memory_id) AS done FROM memories m
                     LEFT JOIN vectors v ON v.project_id = m.project_id AND v.memory_id = m.memory_id AND v.embedder = ?2
                                            AND v.lesson_revision = m.revision
                     WHERE m.project_id = ?1 AND m.deleted_at IS NULL",
                    params![&project_id, &embedder],
                    |row| Ok(SwitchProgress { total: row.get("total")?, done: row.get("done")? }),
                )
            })
            .await
    }
}

fn newest_change(read: &dyn Read, project_id: &ProjectId) -> StoreResult<i64> {
    let sql = "SELECT coalesce(max(changed), 0) AS newest FROM memories WHERE project_id = ?1";
    read.query_one(sql, params![project_id], |row| row.get("newest"))
}

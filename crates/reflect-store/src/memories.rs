//! Memories: reading, editing, deleting.

use reflect_core::{Credit, Lesson, Memory, MemoryId, MemoryStatus, ProjectId, Timestamp, TraceId, WrittenBy};
use rusqlite::{Connection, Row};

use crate::{Store, StoreResult, credits, lessons, lessons::Revision, rows};

pub(crate) const COLUMNS: &str = "memory_id, trace_id, task, lesson, success, status, revision, written_by, q_value, uses, passes, \
                       fails, metadata, created_at, updated_at";

/// Which memories a list holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFilter {
    /// By whether they are shown.
    pub status: Option<MemoryStatus>,
    /// Only memories older than this one.
    pub before: Option<MemoryId>,
    /// How many at most.
    pub limit: usize,
}

/// Turns the lesson that is there into the one that should be.
pub type EditLesson = Box<dyn FnOnce(Lesson) -> Lesson + Send>;

/// What to change about a memory. What is `None` stays.
#[derive(Default)]
pub struct MemoryEdit {
    /// Show it or not.
    pub status: Option<MemoryStatus>,
    /// How the lesson changes, and who says so: a new revision, if it does change.
    pub lesson: Option<(EditLesson, WrittenBy)>,
}

impl Store {
    /// A project's memories, newest first.
    pub async fn list_memories(&self, project_id: ProjectId, filter: MemoryFilter) -> StoreResult<Vec<Memory>> {
        self.readers
            .read(move |read| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM memories
                     WHERE project_id = ?1 AND deleted_at IS NULL AND memory_id < ?2
                       AND (?3 IS NULL OR status = ?3)
                     ORDER BY memory_id DESC LIMIT ?4"
                );
                let status = filter.status.map(MemoryStatus::as_str);
                let before = filter.before.map_or(uuid::Uuid::max(), MemoryId::as_uuid);
                read.prepare_cached(&sql)?
                    .query_and_then((project_id.as_str(), before, status, filter.limit), memory)?
                    .collect()
            })
            .await
    }

    /// One memory, and its newest live credits, newest first.
    pub async fn get_memory(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        max_credits: usize,
    ) -> StoreResult<Option<(Memory, Vec<Credit>)>> {
        self.readers
            .read(move |read| {
                let Some(memory) = get(read, &project_id, memory_id)? else {
                    return Ok(None);
                };
                Ok(Some((memory, credits::list_live(read, &project_id, memory_id, max_credits)?)))
            })
            .await
    }

    /// The memories with these ids, in their order; those that are gone or were never there are passed over.
    pub async fn get_memories(&self, project_id: ProjectId, memory_ids: Vec<MemoryId>) -> StoreResult<Vec<Memory>> {
        self.readers
            .read(move |read| {
                memory_ids.iter().filter_map(|memory_id| get(read, &project_id, *memory_id).transpose()).collect()
            })
            .await
    }

    /// Changes a memory. `None` if there is no such memory.
    pub async fn update_memory(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        edit: MemoryEdit,
        now: Timestamp,
    ) -> StoreResult<Option<Memory>> {
        self.writer
            .write(move |write| {
                let Some(memory) = get(write, &project_id, memory_id)? else {
                    return Ok(None);
                };
                if let Some(status) = edit.status {
                    write
                        .prepare_cached(
                            "UPDATE memories SET status = ?3, changed = ?4 WHERE project_id = ?1 AND memory_id = ?2",
                        )?
                        .execute((project_id.as_str(), memory_id.as_uuid(), status.as_str(), write.next_change()))?;
                }
                if let Some((edit_lesson, written_by)) = edit.lesson {
                    let lesson = edit_lesson(memory.lesson.clone());
                    if lesson != memory.lesson {
                        let success = memory.success;
                        let revision = Revision { lesson: &lesson, success, written_by: &written_by, now };
                        lessons::revise(write, &project_id, memory_id, &revision)?;
                    }
                }
                get(write, &project_id, memory_id)
            })
            .await
    }

    /// Deletes a memory; its ledger stays. `false` if there is no such memory.
    pub async fn delete_memory(&self, project_id: ProjectId, memory_id: MemoryId, now: Timestamp) -> StoreResult<bool> {
        self.writer
            .write(move |write| {
                write
                    .prepare_cached(
                        "UPDATE traces SET created_memory_id = NULL
                         WHERE project_id = ?1 AND created_memory_id = ?2
                           AND trace_id = (SELECT trace_id FROM memories WHERE project_id = ?1 AND memory_id = ?2)",
                    )?
                    .execute((project_id.as_str(), memory_id.as_uuid()))?;
                lessons::delete(write, &project_id, memory_id, now)
            })
            .await
    }
}

pub(crate) fn get(read: &Connection, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<Option<Memory>> {
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL");
    read.prepare_cached(&sql)?.query_and_then((project_id.as_str(), memory_id.as_uuid()), memory)?.next().transpose()
}

pub(crate) fn memory(row: &Row<'_>) -> StoreResult<Memory> {
    Ok(Memory {
        id: MemoryId::from_uuid(row.get("memory_id")?),
        trace_id: TraceId::from_uuid(row.get("trace_id")?),
        task: row.get("task")?,
        lesson: rows::json(row, "lesson")?,
        success: row.get("success")?,
        status: rows::named(row, "status")?,
        revision: row.get("revision")?,
        written_by: rows::json(row, "written_by")?,
        tally: credits::tally(row)?,
        metadata: rows::raw_json(row, "metadata")?,
        created_at: rows::time(row, "created_at")?,
        updated_at: rows::time(row, "updated_at")?,
    })
}

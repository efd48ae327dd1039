//! Memories: reading, editing, deleting.

use reflect_core::{Credit, Lesson, Memory, MemoryId, MemoryStatus, ProjectId, Timestamp, WrittenBy, WrittenLesson};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, params},
    store::Store,
    tables::{
        credits,
        lessons::{self, Revision},
        memories::{self, COLUMNS, memory},
    },
};

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
                let before = filter.before.map_or(Uuid::max(), MemoryId::as_uuid);
                read.query_all(&sql, params![&project_id, before, status, filter.limit], memory)
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
                let Some(memory) = memories::get(read, &project_id, memory_id)? else {
                    return Ok(None);
                };
                Ok(Some((memory, credits::list_live(read, &project_id, memory_id, max_credits)?)))
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
                let Some(memory) = memories::get(write, &project_id, memory_id)? else {
                    return Ok(None);
                };
                if let Some(status) = edit.status {
                    write.execute(
                        "UPDATE memories SET status = ?3, changed = ?4 WHERE project_id = ?1 AND memory_id = ?2",
                        params![&project_id, memory_id, status.as_str(), write.next_change()],
                    )?;
                }
                if let Some((edit_lesson, written_by)) = edit.lesson {
                    let written = WrittenLesson { lesson: edit_lesson(memory.lesson.clone()), written_by };
                    if written.lesson != memory.lesson {
                        let revision = Revision { written: &written, success: memory.success, now };
                        lessons::revise(write, &project_id, memory_id, &revision)?;
                    }
                }
                memories::get(write, &project_id, memory_id)
            })
            .await
    }

    /// Deletes a memory; its ledger stays. `false` if there is no such memory.
    pub async fn delete_memory(&self, project_id: ProjectId, memory_id: MemoryId, now: Timestamp) -> StoreResult<bool> {
        self.writer
            .write(move |write| {
                write.execute(
                    "UPDATE traces SET created_memory_id = NULL
                     WHERE project_id = ?1 AND created_memory_id = ?2
                       AND trace_id = (SELECT trace_id FROM memories WHERE project_id = ?1 AND memory_id = ?2)",
                    params![&project_id, memory_id],
                )?;
                lessons::delete(write, &project_id, memory_id, now)
            })
            .await
    }
}

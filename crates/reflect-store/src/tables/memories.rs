//! Rows of memories.

use reflect_core::{Lesson, Memory, MemoryId, ProjectId};

use super::credits;
use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, Value, params},
};

pub(crate) const COLUMNS: &str = "memory_id, trace_id, task, lesson, tells, success, status, pinned, revision, written_by, q_value, uses, passes, \
                                  fails, worth_sum, worth_runs, worth_day, metadata, created_at, updated_at";

/// How many bytes its texts have. SQLite knows that from the head of the row, so large texts are not touched.
pub(crate) const BYTES: &str = "octet_length(task) + octet_length(lesson) + octet_length(metadata)";

/// How many bytes a memory has, if it is there.
pub(crate) fn measure(read: &dyn Read, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<Option<usize>> {
    let sql = format!("SELECT {BYTES} AS bytes FROM memories WHERE project_id = ?1 AND memory_id = ?2");
    read.query_opt(&sql, params![project_id, memory_id], |row| row.get("bytes"))
}

/// The same of many that are there, in their order. All are asked for at once.
pub(crate) fn measure_all(
    read: &dyn Read,
    project_id: &ProjectId,
    memory_ids: &[MemoryId],
) -> StoreResult<Vec<(MemoryId, usize)>> {
    let sql = format!("SELECT memory_id, {BYTES} AS bytes FROM memories WHERE project_id = ?1 AND memory_id = ?2");
    read.query_all_of(&sql, &keys(project_id, memory_ids), |row| Ok((row.get("memory_id")?, row.get("bytes")?)))
}

pub(crate) fn get(read: &dyn Read, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<Option<Memory>> {
    Ok(get_all(read, project_id, &[memory_id])?.pop())
}

/// Those of the memories that are there, in their order. All are asked for at once.
pub(crate) fn get_all(read: &dyn Read, project_id: &ProjectId, memory_ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL");
    read.query_all_of(&sql, &keys(project_id, memory_ids), memory)
}

fn keys<'a>(project_id: &'a ProjectId, memory_ids: &[MemoryId]) -> Vec<Vec<Value<'a>>> {
    memory_ids.iter().map(|memory_id| params![project_id, *memory_id].to_vec()).collect()
}

/// Has indexes look at a memory again: what they know of its run has changed.
pub(crate) fn touch(write: &dyn Transaction, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<()> {
    write.submit(
        "UPDATE memories SET changed = ?3 WHERE project_id = ?1 AND memory_id = ?2",
        params![project_id, memory_id, write.next_change(project_id)?],
    )
}

pub(crate) fn memory(row: &dyn Row) -> StoreResult<Memory> {
    Ok(Memory {
        id: row.get("memory_id")?,
        trace_id: row.get("trace_id")?,
        task: row.get("task")?,
        lesson: Lesson { tells: row.maybe_named("tells")?, ..row.json("lesson")? },
        success: row.get("success")?,
        status: row.named("status")?,
        pinned: row.get("pinned")?,
        revision: row.get("revision")?,
        written_by: row.json("written_by")?,
        tally: credits::tally(row)?,
        metadata: row.raw_json("metadata")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

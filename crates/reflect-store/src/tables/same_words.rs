//! The number by which memories are found that say the same: [`SameWords`] of what each says, kept on its row.

use std::ops::ControlFlow;

use reflect_core::{Lesson, Memory, MemoryId, ProjectId, SameWords, Tells};

use super::{
    checksums::checksum_of,
    memories::{self, COLUMNS, memory},
};
use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, Value, params},
};

/// The number of a lesson. Only an answer is known by its task, which is read for no other.
pub(crate) fn number(
    read: &dyn Read,
    lesson: &Lesson,
    (select_task, params): (&str, &[Value<'_>]),
) -> StoreResult<Option<i64>> {
    let is_answer = lesson.tells == Some(Tells::Answer);
    let task: Option<String> =
        if is_answer { read.query_opt(select_task, params, |row| row.get("task"))? } else { None };
    Ok(SameWords::of_lesson(lesson, &task.unwrap_or_default()).map(SameWords::number))
}

/// Puts on a memory what it should have. `false` if it has that, or is not there.
pub(crate) fn keep(write: &dyn Transaction, project_id: &ProjectId, memory_id: MemoryId) -> StoreResult<bool> {
    let Some(memory) = memories::get(write, project_id, memory_id)? else { return Ok(false) };
    let sql = "SELECT same_words FROM memories WHERE project_id = ?1 AND memory_id = ?2";
    let kept: Option<Option<i64>> =
        write.query_opt(sql, params![project_id, memory_id], |row| row.get("same_words"))?;
    let expected = expected(&memory);
    if kept == Some(expected) {
        return Ok(false);
    }
    let sql = "UPDATE memories SET same_words = ?3 WHERE project_id = ?1 AND memory_id = ?2";
    write.execute(sql, params![project_id, memory_id, expected]).map(|_| true)
}

/// The memories that have another number than they should. Damaged lessons are told elsewhere.
pub(crate) fn list_differing(read: &dyn Read) -> StoreResult<Vec<(ProjectId, MemoryId)>> {
    let mut differing = Vec::new();
    let sql = format!("SELECT project_id, {COLUMNS}, checksum, same_words FROM memories WHERE deleted_at IS NULL");
    read.walk(&sql, params![], &mut |row| {
        let (checksum, kept): (Option<i64>, Option<i64>) = (row.get("checksum")?, row.get("same_words")?);
        let is_as_written = checksum.is_none_or(|checksum| Some(checksum) == lesson_checksum(row));
        if let Ok(memory) = memory(row)
            && is_as_written
            && kept != expected(&memory)
        {
            differing.push((row.get("project_id")?, memory.id));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(differing)
}

fn lesson_checksum(row: &dyn Row) -> Option<i64> {
    row.get::<String>("lesson").ok().map(|lesson| checksum_of(&lesson))
}

fn expected(memory: &Memory) -> Option<i64> {
    SameWords::of_lesson(&memory.lesson, &memory.task).map(SameWords::number)
}

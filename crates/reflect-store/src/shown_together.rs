//! Memories that runs were shown together.

use std::{collections::BTreeSet, ops::ControlFlow};

use reflect_core::{MemoryId, ProjectId, TraceId, parse_memory_ids};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Value, params},
    store::Store,
};

/// What runs were shown that all saw one memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownTogether {
    /// How many of the runs are still there. It is not counted on once they have nothing in common.
    pub runs: usize,
    /// The other memories that each of those was shown, oldest first. Deleted ones, and those of other projects, are left out.
    pub memory_ids: Vec<MemoryId>,
}

impl Store {
    /// The memories that all of these runs were shown beside this one. Runs that are gone say nothing. It reads a row for each run.
    pub async fn get_shown_together(
        &self,
        project_id: ProjectId,
        memory_id: MemoryId,
        trace_ids: Vec<TraceId>,
    ) -> StoreResult<ShownTogether> {
        self.readers
            .read(move |read| {
                let (runs, mut common) = shown_to_all(read, &project_id, &trace_ids)?;
                common.remove(&memory_id);
                Ok(ShownTogether { runs, memory_ids: still_there(read, &project_id, &common)? })
            })
            .await
    }
}

/// How many of the runs are there, and the ids that all of them name.
fn shown_to_all(
    read: &dyn Read,
    project_id: &ProjectId,
    trace_ids: &[TraceId],
) -> StoreResult<(usize, BTreeSet<MemoryId>)> {
    let keys: Vec<Vec<Value<'_>>> = trace_ids.iter().map(|id| params![project_id, *id].to_vec()).collect();
    let (mut runs, mut common) = (0, BTreeSet::new());
    let sql = "SELECT retrieved_memory_ids FROM traces WHERE project_id = ?1 AND trace_id = ?2";
    read.each_row_of_all(sql, &keys, &mut |row| {
        let shown = parse_memory_ids(&row.json::<Vec<String>>("retrieved_memory_ids")?);
        common = if runs == 0 { shown } else { &common & &shown };
        runs += 1;
        // The memory itself is always among them.
        Ok(if common.len() > 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok((runs, common))
}

fn still_there(read: &dyn Read, project_id: &ProjectId, memory_ids: &BTreeSet<MemoryId>) -> StoreResult<Vec<MemoryId>> {
    let keys: Vec<Vec<Value<'_>>> = memory_ids.iter().map(|id| params![project_id, *id].to_vec()).collect();
    let sql = "SELECT memory_id FROM memories WHERE project_id = ?1 AND memory_id = ?2 AND deleted_at IS NULL";
    read.query_all_of(sql, &keys, |row| row.get("memory_id"))
}

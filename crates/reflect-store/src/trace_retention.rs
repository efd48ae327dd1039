//! Forgetting old traces little by little. What they taught stays: memories, and the ledger.

use reflect_core::{ProjectId, TraceId};

use crate::{
    error::StoreResult,
    sql::{Lane, Progress, Query, params},
    store::Store,
    tables::traces,
};

/// How many traces are removed before the clock is looked at. One may have megabytes.
const TRACES_AT_ONCE: usize = 4;

/// The oldest traces before `?2`. One whose lesson is still to be written stays until it is.
const OUTLIVED: &str = "SELECT trace_id FROM traces t WHERE project_id = ?1 AND trace_id < ?2 AND NOT EXISTS (
                            SELECT 1 FROM jobs j WHERE j.project_id = t.project_id AND j.trace_id = t.trace_id
                                                   AND j.failed_at IS NULL)
                        ORDER BY trace_id LIMIT ?3";

impl Store {
    /// The newest trace that goes if a project is to keep the `keep` newest ones; `None` if it has no more than that.
    pub async fn find_surplus_trace(&self, project_id: ProjectId, keep: usize) -> StoreResult<Option<TraceId>> {
        let sql = "SELECT trace_id FROM traces WHERE project_id = ?1 ORDER BY trace_id DESC LIMIT 1 OFFSET ?2";
        self.readers.read(move |read| read.query_opt(sql, params![&project_id, keep], |row| row.get("trace_id"))).await
    }

    /// Removes traces of a project for a moment, the oldest first, up to the one before `before`.
    pub async fn prune_traces(&self, project_id: ProjectId, before: TraceId) -> StoreResult<Progress> {
        self.writer
            .write_some(Lane::of(&project_id), move |write| {
                let outlived = params![&project_id, before, TRACES_AT_ONCE];
                let trace_ids: Vec<TraceId> = write.query_all(OUTLIVED, outlived, |row| row.get("trace_id"))?;
                for trace_id in &trace_ids {
                    traces::delete(write, &project_id, *trace_id)?;
                }
                Ok(trace_ids.len())
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn old_traces_are_found_in_a_range_of_an_index() {
        let plan = plan_of(OUTLIVED);
        assert!(plan.starts_with("SEARCH t USING COVERING INDEX sqlite_autoindex_traces_1"), "{plan}");
    }
}

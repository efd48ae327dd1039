//! Rows of queries that were answered by chance: the arm that each was drawn for, and its first run. One with a run outlives the log of
//! queries, since a report takes longer than that.

use reflect_core::{ProjectId, Retrieval, RetrievalId, TraceId, lift::Draw};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Row, Transaction, params},
};

/// A run that followed a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowingRun {
    pub(crate) trace_id: TraceId,
    /// Whether it named the query. If not, the query was found by the memories or the task.
    pub(crate) is_named: bool,
}

/// Notes what a query was drawn for, if it was.
pub(crate) fn insert(write: &dyn Transaction, project_id: &ProjectId, retrieval: &Retrieval) -> StoreResult<()> {
    let Some(draw) = retrieval.draw else { return Ok(()) };
    write.submit(
        "INSERT INTO drawn_queries (project_id, retrieval_id, draw, held_out, share, created_at)
         SELECT project_id, ?2, ?3, ?4, ?5, ?6 FROM projects WHERE project_id = ?1",
        params![project_id, retrieval.id, draw.number, draw.held_out, draw.share, retrieval.created_at],
    )
}

/// Notes the run that followed a query, if the query was drawn and no other run came before.
pub(crate) fn update_run(
    write: &dyn Transaction,
    project_id: &ProjectId,
    retrieval_id: RetrievalId,
    run: FollowingRun,
) -> StoreResult<()> {
    write.submit(
        "UPDATE drawn_queries SET trace_id = ?3, named = ?4
         WHERE project_id = ?1 AND retrieval_id = ?2 AND trace_id IS NULL",
        params![project_id, retrieval_id, run.trace_id, run.is_named],
    )
}

/// Removes some draws without a run, of queries from `from` until before `until`. Answers how many.
pub(crate) fn prune(
    write: &dyn Transaction,
    project_id: &ProjectId,
    (from, until): (Uuid, Uuid),
    most: usize,
) -> StoreResult<usize> {
    write.execute(
        "DELETE FROM drawn_queries WHERE (project_id, retrieval_id) IN (
             SELECT project_id, retrieval_id FROM drawn_queries
             WHERE project_id = ?1 AND trace_id IS NULL AND retrieval_id >= ?2 AND retrieval_id < ?3
             ORDER BY retrieval_id LIMIT ?4)",
        params![project_id, from, until, most],
    )
}

/// The arm that a query was drawn for, if it was.
pub(crate) fn draw(row: &dyn Row) -> StoreResult<Option<Draw>> {
    let Some(share) = row.get("share")? else { return Ok(None) };
    Ok(Some(Draw { number: row.get("draw")?, held_out: row.get("held_out")?, share }))
}

//! Rows of queries that were answered by chance: the arm that each was drawn for, the configuration, and its first run. One with a run outlives the log of
//! queries, since a report takes longer than that.

use reflect_core::{ProjectId, Retrieval, RetrievalId, TraceId, lift::Draw, what_if::MixedAnswer};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Row, Transaction, params, to_json},
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
    let Retrieval { id, draw, mixed, created_at, .. } = retrieval;
    let number = draw.map(|draw| draw.number).or_else(|| mixed.as_ref().map(|mixed| mixed.number));
    let Some(number) = number else { return Ok(()) };
    let (held_out, share) = draw.map(|draw| (draw.held_out, draw.share)).unzip();
    let mixed = mixed.as_ref().map(|mixed| to_json("mixed", mixed)).transpose()?;
    write.submit(
        "INSERT INTO drawn_queries (project_id, retrieval_id, draw, held_out, share, mixed, created_at)
         SELECT project_id, ?2, ?3, ?4, ?5, ?6, ?7 FROM projects WHERE project_id = ?1",
        params![project_id, *id, number, held_out, share, mixed, *created_at],
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

/// What a query might have been answered with, if configurations were mixed.
pub(crate) fn mixed(row: &dyn Row) -> StoreResult<Option<MixedAnswer>> {
    let Some(mixed) = row.maybe_json::<MixedAnswer>("mixed")? else { return Ok(None) };
    Ok(Some(MixedAnswer { number: row.get("draw")?, ..mixed }))
}

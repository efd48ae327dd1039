//! Rows of traces, with their trajectories, reviews and jobs.

use std::{collections::BTreeMap, sync::LazyLock};

use reflect_core::{
    NewTrace, ProjectId, RetrievalId, Review, ReviewId, Timestamp, Trace, TraceId, Trajectory, with_stand_in_warning,
};

use super::{
    checksums::{checksum, checksum_of},
    lessons,
};
use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, Value, params, to_json},
};

/// How far a trace has come, told from its job's row.
pub(crate) const INGEST_STATUS: &str = "CASE WHEN j.job_id IS NULL THEN 'completed' WHEN j.failed_at IS NOT NULL THEN \
                                        'failed' WHEN j.lease_owner IS NOT NULL THEN 'processing' ELSE 'queued' END";

/// How much of a trace is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceView {
    /// All of it.
    Whole,
    /// All but the trajectory, which may be by far the largest part.
    Summary,
}

/// A trace with its live review and the job of its lesson. The trajectory is joined by those who want it.
///
/// Everything is looked up by the ids that were asked for, not by those of the row before: then PostgreSQL reads one row of each table, also by
/// a plan that it made while they were empty.
fn select(columns: &str, joins: &str) -> String {
    format!(
        "SELECT t.trace_id, t.task, t.final_response, t.retrieved_memory_ids, t.retrieval_id, t.review_status,
                t.model, t.metadata, t.reference_context, t.created_memory_id, t.warnings, t.created_at,
                coalesce(j.attempts, t.ingest_attempts) AS ingest_attempts, j.last_error, {INGEST_STATUS} AS ingest_status,
                r.review_id, r.result, r.score, r.feedback_text, r.mode, r.source, r.asked_alpha, r.alpha, r.reflection,
                r.created_at AS reviewed_at{columns}
         FROM traces t
         LEFT JOIN reviews r ON r.project_id = ?1 AND r.trace_id = ?2 AND r.removed_at IS NULL
         LEFT JOIN jobs j ON j.project_id = ?1 AND j.trace_id = ?2 AND j.kind = 'lesson'{joins}
         WHERE t.project_id = ?1 AND t.trace_id = ?2"
    )
}

const WITH_TRAJECTORY: (&str, &str) =
    (", y.trajectory", " LEFT JOIN trajectories y ON y.project_id = ?1 AND y.trace_id = ?2");

/// One trace.
pub(crate) fn get(
    read: &dyn Read,
    project_id: &ProjectId,
    trace_id: TraceId,
    view: TraceView,
) -> StoreResult<Option<Trace>> {
    read.query_opt(view.select(), params![project_id, trace_id], |row| trace(row, view))
}

/// Those of the traces that are there, in their order. All are asked for at once.
pub(crate) fn get_all(
    read: &dyn Read,
    project_id: &ProjectId,
    trace_ids: &[TraceId],
    view: TraceView,
) -> StoreResult<Vec<Trace>> {
    read.query_all_of(view.select(), &keys(project_id, trace_ids), |row| trace(row, view))
}

fn keys<'a>(project_id: &'a ProjectId, trace_ids: &[TraceId]) -> Vec<Vec<Value<'a>>> {
    trace_ids.iter().map(|trace_id| params![project_id, *trace_id].to_vec()).collect()
}

/// Says that [`get`] comes.
pub(crate) fn prefetch(read: &dyn Read, project_id: &ProjectId, trace_id: TraceId, view: TraceView) -> StoreResult<()> {
    read.prefetch(view.select(), params![project_id, trace_id])
}

impl TraceView {
    fn select(self) -> &'static str {
        static WHOLE: LazyLock<String> = LazyLock::new(|| select(WITH_TRAJECTORY.0, WITH_TRAJECTORY.1));
        static SUMMARY: LazyLock<String> = LazyLock::new(|| select("", ""));
        if self == Self::Whole { &WHOLE } else { &SUMMARY }
    }
}

/// How many bytes each of the traces has that are there. SQLite knows that from the heads of the rows, so large texts are not touched.
pub(crate) fn measure_all(
    read: &dyn Read,
    project_id: &ProjectId,
    trace_ids: &[TraceId],
    view: TraceView,
) -> StoreResult<BTreeMap<TraceId, usize>> {
    static WHOLE: LazyLock<String> = LazyLock::new(|| select_bytes("y.trajectory", WITH_TRAJECTORY.1));
    static SUMMARY: LazyLock<String> = LazyLock::new(|| select_bytes("''", ""));
    let sql = if view == TraceView::Whole { &WHOLE } else { &SUMMARY };
    let bytes = |row: &dyn Row| Ok((row.get("trace_id")?, row.get("bytes")?));
    Ok(read.query_all_of(sql, &keys(project_id, trace_ids), bytes)?.into_iter().collect())
}

fn select_bytes(trajectory: &str, joins: &str) -> String {
    format!(
        "SELECT t.trace_id, octet_length(t.task) + octet_length(t.final_response) + octet_length(t.retrieved_memory_ids)
                + octet_length(t.metadata) + coalesce(octet_length(t.reference_context), 0) + octet_length(t.warnings)
                + coalesce(octet_length(r.feedback_text), 0) + coalesce(octet_length(r.reflection), 0)
                + coalesce(octet_length({trajectory}), 0) AS bytes
         FROM traces t
         LEFT JOIN reviews r ON r.project_id = ?1 AND r.trace_id = ?2 AND r.removed_at IS NULL{joins}
         WHERE t.project_id = ?1 AND t.trace_id = ?2"
    )
}

/// A trace as it comes to be stored.
pub(crate) struct TraceRow<'a> {
    pub(crate) id: TraceId,
    pub(crate) trace: &'a NewTrace,
    pub(crate) retrieval_id: Option<RetrievalId>,
    pub(crate) warnings: &'a [String],
    pub(crate) now: Timestamp,
}

/// Stores a trace and its trajectory.
pub(crate) fn insert(write: &dyn Transaction, project_id: &ProjectId, insert: &TraceRow<'_>) -> StoreResult<()> {
    let trace = insert.trace;
    write.submit(
        "INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, retrieval_id,
                             review_status, model, metadata, reference_context, warnings, created_at, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            project_id,
            insert.id,
            &trace.task,
            &trace.final_response,
            to_json("retrieved_memory_ids", &trace.retrieved_memory_ids)?,
            insert.retrieval_id,
            trace.model.as_deref(),
            trace.metadata.as_str(),
            trace.reference_context.as_deref(),
            to_json("warnings", insert.warnings)?,
            insert.now,
            checksum_of_texts(trace),
        ],
    )?;
    let trajectory = trace.trajectory.raw().as_str();
    write.submit(
        "INSERT INTO trajectories (project_id, trace_id, trajectory, checksum) VALUES (?1, ?2, ?3, ?4)",
        params![project_id, insert.id, trajectory, checksum_of(trajectory)],
    )
}

fn checksum_of_texts(trace: &NewTrace) -> i64 {
    let written = [trace.task.as_str(), &trace.final_response, trace.metadata.as_str()].map(Some);
    checksum(written.into_iter().chain([trace.reference_context.as_deref()]).map(|text| text.map(str::as_bytes)))
}

const WARNINGS: &str = "SELECT warnings FROM traces WHERE project_id = ?1 AND trace_id = ?2";

/// Says that [`set_stand_in_warning`] comes.
pub(crate) fn prefetch_warnings(read: &dyn Read, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    read.prefetch(WARNINGS, params![project_id, trace_id])
}

/// Says on a trace why rules wrote its lesson; with no warning, takes back what was said before.
pub(crate) fn set_stand_in_warning(
    write: &dyn Transaction,
    project_id: &ProjectId,
    trace_id: TraceId,
    warning: Option<&str>,
) -> StoreResult<()> {
    let stored: Option<Vec<String>> =
        write.query_opt(WARNINGS, params![project_id, trace_id], |row| row.json("warnings"))?;
    let stored = stored.unwrap_or_default();
    let warnings = with_stand_in_warning(stored.clone(), warning);
    if warnings != stored {
        write.submit(
            "UPDATE traces SET warnings = ?3 WHERE project_id = ?1 AND trace_id = ?2",
            params![project_id, trace_id, to_json("warnings", &warnings)?],
        )?;
    }
    Ok(())
}

/// Lets go of the better lesson that a stand-in waits for: somebody else has decided what is learned from the run.
pub(crate) fn settle_stand_in(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    write.submit(
        "DELETE FROM jobs WHERE project_id = ?1 AND trace_id = ?2 AND kind = 'follow_up'",
        params![project_id, trace_id],
    )?;
    set_stand_in_warning(write, project_id, trace_id, None)
}

/// Removes a trace with all that is about it alone; says whether it was there.
pub(crate) fn delete(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<bool> {
    let remove = |table: &str| {
        let sql = format!("DELETE FROM {table} WHERE project_id = ?1 AND trace_id = ?2");
        write.execute(&sql, params![project_id, trace_id])
    };
    lessons::forget_deleted(write, project_id, trace_id)?;
    lessons::outlive_run(write, project_id, trace_id)?;
    for table in ["jobs", "judgements", "reviews", "trajectories"] {
        remove(table)?;
    }
    Ok(remove("traces")? > 0)
}

fn trace(row: &dyn Row, view: TraceView) -> StoreResult<Trace> {
    let trajectory = match view {
        TraceView::Whole => Some(Trajectory::from_stored(row.raw_json("trajectory")?)),
        TraceView::Summary => None,
    };
    let id = row.get("trace_id")?;
    Ok(Trace {
        id,
        task: row.get("task")?,
        trajectory,
        final_response: row.get("final_response")?,
        retrieved_memory_ids: row.json("retrieved_memory_ids")?,
        retrieval_id: row.get("retrieval_id")?,
        review_status: row.named("review_status")?,
        ingest_status: row.named("ingest_status")?,
        ingest_attempts: row.get("ingest_attempts")?,
        last_ingest_error: row.get("last_error")?,
        model: row.get("model")?,
        metadata: row.raw_json("metadata")?,
        reference_context: row.get("reference_context")?,
        created_memory_id: row.get("created_memory_id")?,
        review: review(row, id)?,
        warnings: row.json("warnings")?,
        created_at: row.get("created_at")?,
    })
}

fn review(row: &dyn Row, trace_id: TraceId) -> StoreResult<Option<Review>> {
    let Some(id) = row.get::<Option<ReviewId>>("review_id")? else {
        return Ok(None);
    };
    Ok(Some(Review {
        id,
        trace_id,
        result: row.named("result")?,
        score: row.get("score")?,
        feedback_text: row.get("feedback_text")?,
        mode: row.named("mode")?,
        source: row.named("source")?,
        asked_alpha: row.get("asked_alpha")?,
        alpha: row.get("alpha")?,
        reflection: row.maybe_json("reflection")?,
        created_at: row.get("reviewed_at")?,
    }))
}

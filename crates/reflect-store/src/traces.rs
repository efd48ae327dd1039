//! Traces: storing one, reading one, deleting some.

use std::sync::LazyLock;

use reflect_core::{
    IngestStatus, KeyId, MemoryId, NewTrace, ProjectId, RetrievalId, Review, ReviewId, Timestamp, Trace, TraceId,
    Trajectory, parse_memory_ids,
};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};

use crate::{
    IdempotencyKey, LessonInsert, Once, ReviewInsert, Store, StoreResult,
    credits::{self, Showing},
    idempotency::once,
    projects, retrievals, reviews, rows,
    writer::Write,
};

/// A trace to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceInsert {
    /// The id that it gets, made at `now`: lists take its time from it.
    pub id: TraceId,
    /// The key that sends it.
    pub key_id: KeyId,
    /// The run.
    pub trace: NewTrace,
    /// Its review, with what was decided about it.
    pub review: Option<ReviewInsert>,
    /// The lesson, where the review brought one along: no job is needed then.
    pub lesson: Option<LessonInsert>,
    /// The time of the request.
    pub now: Timestamp,
    /// What makes the request one and the same.
    pub idempotency: Option<IdempotencyKey>,
}

/// What the sender of a trace is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The trace's id.
    pub trace_id: TraceId,
    /// How far the work on it had come when it was stored.
    pub ingest_status: IngestStatus,
}

/// How far a trace has come, told from its job's row.
pub(crate) const INGEST_STATUS: &str = "CASE WHEN j.job_id IS NULL THEN 'completed' WHEN j.failed_at IS NOT NULL THEN \
                                        'failed' WHEN j.lease_owner IS NOT NULL THEN 'processing' ELSE 'queued' END";

/// A trace with its live review and the job of its lesson. The trajectory is joined by those who want it.
fn select(columns: &str, joins: &str) -> String {
    format!(
        "SELECT t.trace_id, t.task, t.final_response, t.retrieved_memory_ids, t.retrieval_id, t.review_status,
                t.model, t.metadata, t.reference_context, t.created_memory_id, t.warnings, t.created_at,
                coalesce(j.attempts, t.ingest_attempts) AS ingest_attempts, j.last_error, {INGEST_STATUS} AS ingest_status,
                r.review_id, r.result, r.feedback_text, r.mode, r.source, r.asked_alpha, r.alpha, r.reflection,
                r.created_at AS reviewed_at{columns}
         FROM traces t
         LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id AND r.removed_at IS NULL
         LEFT JOIN jobs j ON j.project_id = t.project_id AND j.trace_id = t.trace_id AND j.kind = 'lesson'{joins}
         WHERE t.project_id = ?1 AND t.trace_id = ?2"
    )
}

const WITH_TRAJECTORY: (&str, &str) =
    (", y.trajectory", " LEFT JOIN trajectories y ON y.project_id = t.project_id AND y.trace_id = t.trace_id");

impl Store {
    /// Stores a trace; with a review, moves the utilities of the memories it was shown, and queues the lesson or stores
    /// the one that came along. All of it or nothing. `None` if the project is gone.
    pub async fn insert_trace(
        &self,
        project_id: ProjectId,
        insert: TraceInsert,
    ) -> StoreResult<Option<Once<Submission>>> {
        self.writer
            .write(move |write| {
                let stored = once(write, &project_id, insert.idempotency.as_ref(), insert.now, || {
                    if !projects::exists(write, &project_id)? {
                        return Ok(Err(()));
                    }
                    store(write, &project_id, &insert).map(Ok)
                })?;
                Ok(stored.ok())
            })
            .await
    }

    /// One trace with its trajectory.
    pub async fn get_trace(&self, project_id: ProjectId, trace_id: TraceId) -> StoreResult<Option<Trace>> {
        self.readers.read(move |read| get(read, &project_id, trace_id)).await
    }

    /// The traces with these ids, in their order; those that are gone are passed over.
    pub async fn get_traces(
        &self,
        project_id: ProjectId,
        trace_ids: Vec<TraceId>,
        with_trajectory: bool,
    ) -> StoreResult<Vec<Trace>> {
        self.readers
            .read(move |read| {
                let found = trace_ids.iter().map(|trace_id| read_one(read, &project_id, *trace_id, with_trajectory));
                found.filter_map(Result::transpose).collect()
            })
            .await
    }

    /// Erases traces: their text, their reviews and what was still to be done about them. What they taught stays, unless
    /// `cascade` is set: then each ends as if its review had been taken back. Answers those that were there.
    pub async fn delete_traces(
        &self,
        project_id: ProjectId,
        trace_ids: Vec<TraceId>,
        cascade: bool,
        now: Timestamp,
    ) -> StoreResult<Vec<TraceId>> {
        self.writer
            .write(move |write| {
                let mut deleted = Vec::new();
                for trace_id in trace_ids {
                    if cascade {
                        reviews::undo(write, &project_id, trace_id, now)?;
                    }
                    if delete(write, &project_id, trace_id)? {
                        deleted.push(trace_id);
                    }
                }
                Ok(deleted)
            })
            .await
    }
}

/// One trace with its trajectory.
pub(crate) fn get(read: &Connection, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<Option<Trace>> {
    read_one(read, project_id, trace_id, true)
}

/// One trace without its trajectory, which may be by far the largest part of it.
pub(crate) fn get_summary(read: &Connection, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<Option<Trace>> {
    read_one(read, project_id, trace_id, false)
}

fn read_one(
    read: &Connection,
    project_id: &ProjectId,
    trace_id: TraceId,
    with_trajectory: bool,
) -> StoreResult<Option<Trace>> {
    static WHOLE: LazyLock<String> = LazyLock::new(|| select(WITH_TRAJECTORY.0, WITH_TRAJECTORY.1));
    static SUMMARY: LazyLock<String> = LazyLock::new(|| select("", ""));
    read.prepare_cached(if with_trajectory { &WHOLE } else { &SUMMARY })?
        .query_and_then((project_id.as_str(), trace_id.as_uuid()), |row| trace(row, with_trajectory))?
        .next()
        .transpose()
}

fn store(write: &Write, project_id: &ProjectId, insert: &TraceInsert) -> StoreResult<Submission> {
    let memory_ids = parse_memory_ids(&insert.trace.retrieved_memory_ids);
    let shown = retrievals::link(write, project_id, insert, &memory_ids)?;
    insert_rows(write, project_id, insert, shown.retrieval_id, &shown.warnings)?;
    let Some(review) = &insert.review else {
        return Ok(Submission { trace_id: insert.id, ingest_status: IngestStatus::Completed });
    };
    let alpha = review.review.alpha.unwrap_or(review.default_alpha);
    let reward = review.reward(insert.id, alpha, insert.now);
    reviews::insert(write, project_id, review, reward)?;
    let showing = match shown.answer {
        Some(answer) => Showing { memory_ids, retrieval_id: shown.retrieval_id, answer },
        None => retrievals::showing(write, project_id, shown.retrieval_id, memory_ids)?,
    };
    credits::append(write, project_id, &showing, reward)?;
    let ingest_status = reviews::teach(write, project_id, insert.id, review, insert.lesson.as_ref(), insert.now)?;
    Ok(Submission { trace_id: insert.id, ingest_status })
}

fn insert_rows(
    write: &Write,
    project_id: &ProjectId,
    insert: &TraceInsert,
    retrieval_id: Option<RetrievalId>,
    warnings: &[String],
) -> StoreResult<()> {
    let trace = &insert.trace;
    write
        .prepare_cached(
            "INSERT INTO traces (project_id, trace_id, task, final_response, retrieved_memory_ids, retrieval_id,
                                 review_status, model, metadata, reference_context, warnings, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            project_id.as_str(),
            insert.id.as_uuid(),
            &trace.task,
            &trace.final_response,
            rows::to_json("retrieved_memory_ids", &trace.retrieved_memory_ids)?,
            retrieval_id.map(RetrievalId::as_uuid),
            &trace.model,
            trace.metadata.as_str(),
            &trace.reference_context,
            rows::to_json("warnings", warnings)?,
            insert.now.as_micros(),
        ))?;
    write
        .prepare_cached("INSERT INTO trajectories (project_id, trace_id, trajectory) VALUES (?1, ?2, ?3)")?
        .execute((project_id.as_str(), insert.id.as_uuid(), trace.trajectory.raw().as_str()))?;
    Ok(())
}

fn delete(write: &Write, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<bool> {
    let id = (project_id.as_str(), trace_id.as_uuid());
    let remove = |table: &str| -> StoreResult<usize> {
        let sql = format!("DELETE FROM {table} WHERE project_id = ?1 AND trace_id = ?2");
        Ok(write.prepare_cached(&sql)?.execute(id)?)
    };
    remove("jobs")?;
    remove("judgements")?;
    remove("reviews")?;
    remove("trajectories")?;
    Ok(remove("traces")? > 0)
}

fn trace(row: &Row<'_>, with_trajectory: bool) -> StoreResult<Trace> {
    let trajectory =
        if with_trajectory { Some(Trajectory::from_stored(rows::raw_json(row, "trajectory")?)) } else { None };
    let id = TraceId::from_uuid(row.get("trace_id")?);
    Ok(Trace {
        id,
        task: row.get("task")?,
        trajectory,
        final_response: row.get("final_response")?,
        retrieved_memory_ids: rows::json(row, "retrieved_memory_ids")?,
        retrieval_id: row.get::<_, Option<_>>("retrieval_id")?.map(RetrievalId::from_uuid),
        review_status: rows::named(row, "review_status")?,
        ingest_status: rows::named(row, "ingest_status")?,
        ingest_attempts: row.get("ingest_attempts")?,
        last_ingest_error: row.get("last_error")?,
        model: row.get("model")?,
        metadata: rows::raw_json(row, "metadata")?,
        reference_context: row.get("reference_context")?,
        created_memory_id: row.get::<_, Option<_>>("created_memory_id")?.map(MemoryId::from_uuid),
        review: review(row, id)?,
        warnings: rows::json(row, "warnings")?,
        created_at: rows::time(row, "created_at")?,
    })
}

fn review(row: &Row<'_>, trace_id: TraceId) -> StoreResult<Option<Review>> {
    let Some(review_id) = row.get::<_, Option<_>>("review_id")?.map(ReviewId::from_uuid) else {
        return Ok(None);
    };
    Ok(Some(Review {
        id: review_id,
        trace_id,
        result: rows::named(row, "result")?,
        feedback_text: row.get("feedback_text")?,
        mode: rows::named(row, "mode")?,
        source: rows::named(row, "source")?,
        asked_alpha: row.get("asked_alpha")?,
        alpha: row.get("alpha")?,
        reflection: rows::maybe_json(row, "reflection")?,
        created_at: rows::time(row, "reviewed_at")?,
    }))
}

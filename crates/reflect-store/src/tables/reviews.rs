//! Accepting a review, correcting one, taking one back: what moves together in one transaction.

use reflect_core::{
    IngestStatus, KeyId, NewReview, ProjectId, ReviewDecision, ReviewId, ReviewMode, Timestamp, TraceId,
    parse_memory_ids,
};

use super::{
    credits::{self, Removal, Replacement, Reward},
    jobs::{self, JobInsert, Priority},
    judgements,
    lessons::{self, LessonInsert, ReviewedTrace},
    memories, retrievals,
    traces::{self, TraceView},
};
use crate::{
    error::StoreResult,
    sql::{Query, Transaction, params, to_json},
};

/// A review to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewInsert {
    /// The id that it gets.
    pub id: ReviewId,
    /// What it says.
    pub review: NewReview,
    /// Whether it came with its trace.
    pub mode: ReviewMode,
    /// Whether someone waits for its lesson, which is then written before others.
    pub awaited: bool,
    /// The step size for a review that asks for none.
    pub default_alpha: f64,
    /// The key that brings it: of a session the one behind it, of the judge the master key.
    pub reporter: KeyId,
}

/// A review's row in the making: what it is worth, whether its run named memories that it was shown, and what those were expected to add.
pub(crate) struct ReviewRow<'a> {
    pub(crate) insert: &'a ReviewInsert,
    pub(crate) reward: Reward,
    pub(crate) shown: bool,
    pub(crate) added: Option<f64>,
}

/// A review of one trace, with the lesson that may have come along.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceReview {
    /// The run that it judges.
    pub trace_id: TraceId,
    /// What it says.
    pub review: ReviewInsert,
    /// The lesson, where the review brought one along: no job is needed then.
    pub lesson: Option<LessonInsert>,
}

/// What became of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewed {
    /// It counts; the lesson is queued, or stored if it came along.
    Accepted,
    /// The trace has exactly this review already; nothing changed.
    Repeated,
    /// The trace has another review.
    AlreadyReviewed,
    /// The trace has a review whose lesson is still being written.
    InProgress,
    /// There is no such trace.
    NoTrace,
    /// The client's idempotency key was used for another request.
    KeyReused,
}

/// What became of a wish to take a review back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeBackAnswer {
    /// It no longer counts.
    TakenBack,
    /// The trace has no review.
    NoReview,
    /// There is no such trace.
    NoTrace,
}

/// What became of a review, and how far the work on its run has come.
pub(crate) struct Accepted {
    pub(crate) reviewed: Reviewed,
    pub(crate) ingest_status: IngestStatus,
}

/// A review that was accepted, and the lesson that may have come along.
pub(crate) struct Teaching<'a> {
    pub(crate) trace_id: TraceId,
    pub(crate) review: &'a ReviewInsert,
    pub(crate) lesson: Option<&'a LessonInsert>,
    pub(crate) now: Timestamp,
}

impl ReviewInsert {
    pub(crate) fn reward(&self, trace_id: TraceId, alpha: f64, now: Timestamp) -> Reward {
        let NewReview { result, score, .. } = self.review;
        Reward { trace_id, review_id: self.id, result, score, alpha, reporter: self.reporter, now }
    }
}

/// Accepts a review of a stored trace, if the rules allow it.
pub(crate) fn accept(
    write: &dyn Transaction,
    project_id: &ProjectId,
    insert_review: &TraceReview,
    now: Timestamp,
) -> StoreResult<Accepted> {
    let TraceReview { trace_id, review, lesson } = insert_review;
    let Some(trace) = traces::get(write, project_id, *trace_id, TraceView::Summary)? else {
        return Ok(Accepted { reviewed: Reviewed::NoTrace, ingest_status: IngestStatus::Completed });
    };
    let ingest_status = trace.ingest_status;
    let refused = |reviewed| Ok(Accepted { reviewed, ingest_status });
    let decision = ReviewDecision::of(trace.review.as_ref(), ingest_status, &review.review, review.default_alpha);
    let memory_ids = parse_memory_ids(&trace.retrieved_memory_ids);
    let shown = !trace.retrieved_memory_ids.is_empty();
    match (decision, &trace.review) {
        (ReviewDecision::Repeated, _) => return refused(Reviewed::Repeated),
        (ReviewDecision::AlreadyReviewed, _) => return refused(Reviewed::AlreadyReviewed),
        (ReviewDecision::InProgress, _) => return refused(Reviewed::InProgress),
        (ReviewDecision::Replace { alpha }, Some(replaced)) => {
            let reward = review.reward(*trace_id, alpha, now);
            let added = end(write, project_id, *trace_id, Removal { review_id: replaced.id, now })?;
            insert(write, project_id, &ReviewRow { insert: review, reward, shown, added })?;
            lessons::forget_deleted(write, project_id, *trace_id)?;
            trace.created_memory_id.map_or(Ok(()), |memory_id| memories::touch(write, project_id, memory_id))?;
            credits::replace(write, project_id, &memory_ids, Replacement { replaced: replaced.id, reward })?;
            jobs::delete(write, project_id, *trace_id)?;
            if lesson.is_some() {
                traces::set_stand_in_warning(write, project_id, *trace_id, None)?;
            }
        }
        (ReviewDecision::First { alpha } | ReviewDecision::Replace { alpha }, _) => {
            let reward = review.reward(*trace_id, alpha, now);
            let showing = retrievals::showing(write, project_id, trace.retrieval_id, memory_ids)?;
            insert(write, project_id, &ReviewRow { insert: review, reward, shown, added: showing.added() })?;
            judgements::update_reviewed(write, project_id, *trace_id)?;
            credits::append(write, project_id, &showing, reward)?;
        }
    }
    let teaching = Teaching { trace_id: *trace_id, review, lesson: lesson.as_ref(), now };
    let ingest_status = teach(write, project_id, &teaching)?;
    Ok(Accepted { reviewed: Reviewed::Accepted, ingest_status })
}

/// Stores the lesson that came along with a review, or queues one to be written. Says how far the run has come by that.
pub(crate) fn teach(
    write: &dyn Transaction,
    project_id: &ProjectId,
    teaching: &Teaching<'_>,
) -> StoreResult<IngestStatus> {
    let Teaching { trace_id, review, lesson, now } = *teaching;
    let Some(lesson) = lesson else {
        let priority = if review.awaited { Priority::WaitedFor } else { Priority::Background };
        jobs::insert(write, project_id, &JobInsert { trace_id, review_id: review.id, priority, now })?;
        return Ok(IngestStatus::Queued);
    };
    let about = ReviewedTrace { trace_id, outcome: review.review.result, attempts: 0, now };
    lessons::store(write, project_id, &about, lesson)?;
    Ok(IngestStatus::Completed)
}

/// Writes the review's row.
pub(crate) fn insert(
    write: &dyn Transaction,
    project_id: &ProjectId,
    &ReviewRow { insert, reward, shown, added }: &ReviewRow<'_>,
) -> StoreResult<()> {
    let reflection = insert.review.reflection.as_ref().map(|lesson| to_json("reflection", lesson)).transpose()?;
    write.submit(
        "INSERT INTO reviews (project_id, trace_id, review_id, result, feedback_text, mode, source, asked_alpha, alpha,
                              reflection, created_at, shown, score, added)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            project_id,
            reward.trace_id,
            insert.id,
            insert.review.result.as_str(),
            insert.review.feedback_text.as_deref(),
            insert.mode.as_str(),
            insert.review.source.as_str(),
            insert.review.alpha,
            reward.alpha,
            reflection,
            reward.now,
            shown,
            reward.score,
            added,
        ],
    )
}

/// Takes back whatever review the trace has.
pub(crate) fn undo(
    write: &dyn Transaction,
    project_id: &ProjectId,
    trace_id: TraceId,
    now: Timestamp,
) -> StoreResult<TakeBackAnswer> {
    let Some(trace) = traces::get(write, project_id, trace_id, TraceView::Whole)? else {
        return Ok(TakeBackAnswer::NoTrace);
    };
    let Some(review) = &trace.review else {
        return Ok(TakeBackAnswer::NoReview);
    };
    let removal = Removal { review_id: review.id, now };
    end(write, project_id, trace_id, removal)?;
    judgements::update_reviewed(write, project_id, trace_id)?;
    credits::remove(write, project_id, &parse_memory_ids(&trace.retrieved_memory_ids), removal)?;
    jobs::delete(write, project_id, trace_id)?;
    traces::set_stand_in_warning(write, project_id, trace_id, None)?;
    lessons::forget_deleted(write, project_id, trace_id)?;
    if let Some(memory_id) = trace.created_memory_id {
        lessons::delete(write, project_id, memory_id, now)?;
    }
    write.submit(
        "UPDATE traces SET review_status = 'pending', created_memory_id = NULL, ingest_attempts = 0
         WHERE project_id = ?1 AND trace_id = ?2",
        params![project_id, trace_id],
    )?;
    Ok(TakeBackAnswer::TakenBack)
}

/// Ends a review; answers what the memories that its run saw were expected to add.
fn end(
    write: &dyn Transaction,
    project_id: &ProjectId,
    trace_id: TraceId,
    Removal { review_id, now }: Removal,
) -> StoreResult<Option<f64>> {
    let added = write.query_opt(
        "UPDATE reviews SET removed_at = ?4 WHERE project_id = ?1 AND trace_id = ?2 AND review_id = ?3 RETURNING added",
        params![project_id, trace_id, review_id, now],
        |row| row.get("added"),
    )?;
    Ok(added.flatten())
}

//! Reviews: accepting one, correcting one, taking one back.

use reflect_core::{
    IngestStatus, NewReview, ProjectId, ReviewDecision, ReviewId, ReviewMode, Timestamp, TraceId, parse_memory_ids,
};

use crate::{
    IdempotencyKey, LessonInsert, Once, Store, StoreResult,
    credits::{self, Reward},
    idempotency::once,
    jobs, judgements, lessons,
    lessons::ReviewedTrace,
    retrievals, rows, traces,
    writer::Write,
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
}

impl ReviewInsert {
    pub(crate) fn reward(&self, trace_id: TraceId, alpha: f64, now: Timestamp) -> Reward {
        Reward { trace_id, review_id: self.id, result: self.review.result, alpha, now }
    }
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

impl Store {
    /// Accepts a review of a stored trace: utilities move, and the lesson is queued, or stored if it came along.
    pub async fn insert_review(
        &self,
        project_id: ProjectId,
        trace_id: TraceId,
        review: ReviewInsert,
        lesson: Option<LessonInsert>,
        now: Timestamp,
        idempotency: Option<IdempotencyKey>,
    ) -> StoreResult<Reviewed> {
        self.writer
            .write(move |write| {
                let mut done = Reviewed::Repeated;
                let answer = once(write, &project_id, idempotency.as_ref(), now, || {
                    done = accept(write, &project_id, trace_id, &review, lesson.as_ref(), now)?.reviewed;
                    Ok(match done {
                        Reviewed::Accepted | Reviewed::Repeated => Ok(trace_id),
                        refusal => Err(refusal),
                    })
                })?;
                Ok(match answer {
                    Ok(Once::First(_) | Once::Again(_)) => done,
                    Ok(Once::KeyReused) => Reviewed::KeyReused,
                    Err(refusal) => refusal,
                })
            })
            .await
    }

    /// Takes a trace's review back: its credits, the memory it made and the job behind it go, as if it had never been.
    pub async fn take_back_review(
        &self,
        project_id: ProjectId,
        trace_id: TraceId,
        now: Timestamp,
    ) -> StoreResult<TakeBackAnswer> {
        self.writer.write(move |write| undo(write, &project_id, trace_id, now)).await
    }
}

/// Writes the review's row.
pub(crate) fn insert(write: &Write, project_id: &ProjectId, insert: &ReviewInsert, reward: Reward) -> StoreResult<()> {
    let reflection = insert.review.reflection.as_ref().map(|lesson| rows::to_json("reflection", lesson)).transpose()?;
    write
        .prepare_cached(
            "INSERT INTO reviews (project_id, trace_id, review_id, result, feedback_text, mode, source, asked_alpha, alpha,
                                  reflection, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            project_id.as_str(),
            reward.trace_id.as_uuid(),
            insert.id.as_uuid(),
            insert.review.result.as_str(),
            &insert.review.feedback_text,
            insert.mode.as_str(),
            insert.review.source.as_str(),
            insert.review.alpha,
            reward.alpha,
            reflection,
            reward.now.as_micros(),
        ))?;
    Ok(())
}

/// Takes back whatever review the trace has.
pub(crate) fn undo(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    now: Timestamp,
) -> StoreResult<TakeBackAnswer> {
    let Some(trace) = traces::get(write, project_id, trace_id)? else {
        return Ok(TakeBackAnswer::NoTrace);
    };
    let Some(review) = &trace.review else {
        return Ok(TakeBackAnswer::NoReview);
    };
    end(write, project_id, trace_id, review.id, now)?;
    judgements::set_reviewed(write, project_id, trace_id, false)?;
    credits::remove(write, project_id, &parse_memory_ids(&trace.retrieved_memory_ids), review.id, now)?;
    jobs::delete(write, project_id, trace_id)?;
    if let Some(memory_id) = trace.created_memory_id {
        lessons::delete(write, project_id, memory_id, now)?;
    }
    write
        .prepare_cached(
            "UPDATE traces SET review_status = 'pending', created_memory_id = NULL, ingest_attempts = 0
             WHERE project_id = ?1 AND trace_id = ?2",
        )?
        .execute((project_id.as_str(), trace_id.as_uuid()))?;
    Ok(TakeBackAnswer::TakenBack)
}

/// What became of a review, and how far the work on its run has come.
pub(crate) struct Accepted {
    pub(crate) reviewed: Reviewed,
    pub(crate) ingest_status: IngestStatus,
}

pub(crate) fn accept(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    insert_review: &ReviewInsert,
    lesson: Option<&LessonInsert>,
    now: Timestamp,
) -> StoreResult<Accepted> {
    let Some(trace) = traces::get_summary(write, project_id, trace_id)? else {
        return Ok(Accepted { reviewed: Reviewed::NoTrace, ingest_status: IngestStatus::Completed });
    };
    let (review, ingest) = (&insert_review.review, trace.ingest_status);
    let decision = ReviewDecision::of(trace.review.as_ref(), ingest, review, insert_review.default_alpha);
    let memory_ids = parse_memory_ids(&trace.retrieved_memory_ids);
    let reviewed = match (decision, &trace.review) {
        (ReviewDecision::Repeated, _) => Reviewed::Repeated,
        (ReviewDecision::AlreadyReviewed, _) => Reviewed::AlreadyReviewed,
        (ReviewDecision::InProgress, _) => Reviewed::InProgress,
        (ReviewDecision::Replace { alpha }, Some(replaced)) => {
            let reward = insert_review.reward(trace_id, alpha, now);
            end(write, project_id, trace_id, replaced.id, now)?;
            insert(write, project_id, insert_review, reward)?;
            credits::replace(write, project_id, &memory_ids, replaced.id, reward)?;
            jobs::delete(write, project_id, trace_id)?;
            Reviewed::Accepted
        }
        (ReviewDecision::First { alpha } | ReviewDecision::Replace { alpha }, _) => {
            let reward = insert_review.reward(trace_id, alpha, now);
            insert(write, project_id, insert_review, reward)?;
            judgements::set_reviewed(write, project_id, trace_id, true)?;
            let showing = retrievals::showing(write, project_id, trace.retrieval_id, memory_ids)?;
            credits::append(write, project_id, &showing, reward)?;
            Reviewed::Accepted
        }
    };
    if reviewed != Reviewed::Accepted {
        return Ok(Accepted { reviewed, ingest_status: ingest });
    }
    let ingest_status = teach(write, project_id, trace_id, insert_review, lesson, now)?;
    Ok(Accepted { reviewed, ingest_status })
}

/// Stores the lesson that came along with a review, or queues one to be written. Says how far the run has come by that.
pub(crate) fn teach(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    review: &ReviewInsert,
    lesson: Option<&LessonInsert>,
    now: Timestamp,
) -> StoreResult<IngestStatus> {
    let Some(lesson) = lesson else {
        jobs::insert(write, project_id, trace_id, review, now)?;
        return Ok(IngestStatus::Queued);
    };
    let about = ReviewedTrace { trace_id, outcome: review.review.result, attempts: 0, now };
    lessons::store(write, project_id, &about, lesson)?;
    Ok(IngestStatus::Completed)
}

fn end(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    review_id: ReviewId,
    now: Timestamp,
) -> StoreResult<()> {
    write
        .prepare_cached(
            "UPDATE reviews SET removed_at = ?4 WHERE project_id = ?1 AND trace_id = ?2 AND review_id = ?3",
        )?
        .execute((project_id.as_str(), trace_id.as_uuid(), review_id.as_uuid(), now.as_micros()))?;
    Ok(())
}

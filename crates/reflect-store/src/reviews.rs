//! Reviews: accepting one, correcting one, taking one back.

use reflect_core::{IngestStatus, NewReview, ProjectId, ReviewId, ReviewMode, ReviewSource, Timestamp, Trace, TraceId};

use crate::{
    IdempotencyKey, LessonInsert, Once, Store, StoreResult,
    credits::{self, Reward},
    idempotency::once,
    jobs, judgements, lessons,
    lessons::ReviewedTrace,
    rows, traces,
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
    fn alpha(&self) -> f64 {
        self.review.alpha.unwrap_or(self.default_alpha)
    }

    pub(crate) fn reward(&self, trace_id: TraceId, now: Timestamp) -> Reward {
        Reward { trace_id, review_id: self.id, result: self.review.result, alpha: self.alpha(), now }
    }
}

/// What became of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewAnswer {
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
    ) -> StoreResult<ReviewAnswer> {
        self.writer
            .write(move |write| {
                let mut done = ReviewAnswer::Repeated;
                let answer = once(write, &project_id, idempotency.as_ref(), now, || {
                    done = accept(write, &project_id, trace_id, review, lesson.as_ref(), now)?;
                    Ok(match done {
                        ReviewAnswer::Accepted | ReviewAnswer::Repeated => Ok(trace_id),
                        refusal => Err(refusal),
                    })
                })?;
                Ok(match answer {
                    Ok(Once::First(_) | Once::Again(_)) => done,
                    Ok(Once::KeyReused) => ReviewAnswer::KeyReused,
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
pub(crate) fn insert(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    insert: &ReviewInsert,
    now: Timestamp,
) -> StoreResult<()> {
    let reflection = insert.review.reflection.as_ref().map(|lesson| rows::to_json("reflection", lesson)).transpose()?;
    write
        .prepare_cached(
            "INSERT INTO reviews (project_id, trace_id, review_id, result, feedback_text, mode, source, asked_alpha, alpha,
                                  reflection, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            project_id.as_str(),
            trace_id.as_uuid(),
            insert.id.as_uuid(),
            insert.review.result.as_str(),
            &insert.review.feedback_text,
            insert.mode.as_str(),
            insert.review.source.as_str(),
            insert.review.alpha,
            insert.alpha(),
            reflection,
            now.as_micros(),
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
    judgements::put_back(write, project_id, trace_id)?;
    credits::remove(write, project_id, &credits::memory_ids(&trace.retrieved_memory_ids), review.id, now)?;
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

pub(crate) fn accept(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    mut insert_review: ReviewInsert,
    lesson: Option<&LessonInsert>,
    now: Timestamp,
) -> StoreResult<ReviewAnswer> {
    let Some(trace) = traces::get_summary(write, project_id, trace_id)? else {
        return Ok(ReviewAnswer::NoTrace);
    };
    if let Some(refusal) = refuse(&trace, &insert_review.review) {
        return Ok(refusal);
    }
    let memory_ids = credits::memory_ids(&trace.retrieved_memory_ids);
    match &trace.review {
        None => {
            insert(write, project_id, trace_id, &insert_review, now)?;
            judgements::set_aside(write, project_id, trace_id)?;
            credits::append(write, project_id, &memory_ids, insert_review.reward(trace_id, now))?;
        }
        Some(replaced) => {
            // A correction that asks for no step size keeps the one that applied, since it is meant to end where the first
            // review would have, had it carried this result. A judge's own caution is not handed on.
            if replaced.asked_alpha.is_none() || replaced.source != ReviewSource::Judge {
                insert_review.default_alpha = replaced.alpha;
            }
            end(write, project_id, trace_id, replaced.id, now)?;
            insert(write, project_id, trace_id, &insert_review, now)?;
            credits::replace(write, project_id, &memory_ids, replaced.id, insert_review.reward(trace_id, now))?;
            jobs::delete(write, project_id, trace_id)?;
        }
    }
    match lesson {
        Some(lesson) => {
            let about = ReviewedTrace { trace_id, outcome: insert_review.review.result, attempts: 0, now };
            lessons::store(write, project_id, &about, lesson)?;
        }
        None => jobs::insert(write, project_id, trace_id, &insert_review, now)?,
    }
    Ok(ReviewAnswer::Accepted)
}

/// Why a review cannot be accepted, given what the trace has. A judge's review is provisional and gives way to any other, even
/// while its lesson is being written; a judge's own never takes the place of another.
fn refuse(trace: &Trace, review: &NewReview) -> Option<ReviewAnswer> {
    let present = trace.review.as_ref()?;
    if review.repeats(present) {
        return Some(ReviewAnswer::Repeated);
    }
    let by_judge = |source: ReviewSource| source == ReviewSource::Judge;
    if by_judge(present.source) && !by_judge(review.source) {
        return None;
    }
    if matches!(trace.ingest_status, IngestStatus::Queued | IngestStatus::Processing) {
        return Some(ReviewAnswer::InProgress);
    }
    (!review.supersedes).then_some(ReviewAnswer::AlreadyReviewed)
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

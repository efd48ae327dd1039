//! Lessons that stand in for a better one, and the jobs that replace them.

use reflect_core::{JobKind, MemoryId, Outcome, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, Transaction, params},
    store::Store,
    tables::{
        jobs::{self, ClaimedJob, Lease, Priority},
        lessons::{self, LessonInsert, ReviewedTrace, Revision},
        traces,
    },
};

/// How the work on a lesson goes on after a stand-in was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowUp {
    /// Whoever stored it goes on at once, under this lease: the better lesson is on its way.
    Continue(Lease),
    /// It is tried at that time, because of this failure.
    At(Timestamp, String),
}

/// A lesson that stands in for a better one.
#[derive(Debug, Clone, PartialEq)]
pub struct StandIn {
    /// How the run went.
    pub outcome: Outcome,
    /// The lesson, which names whom it stands in for.
    pub lesson: LessonInsert,
    /// How the work goes on.
    pub follow_up: FollowUp,
    /// What its trace says about it, until the better lesson is there.
    pub warning: String,
}

/// How a follow-up ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUpEnd {
    /// The stand-in was replaced by a new revision.
    Replaced,
    /// Someone had changed or deleted the memory before that ended follow-ups: it stays as it is.
    Superseded,
    /// The claim no longer stands; nothing changed.
    ClaimGone,
}

impl Store {
    /// Stores a stand-in as the lesson of `job` and finishes its trace. The job turns into a follow-up: answered as a claim
    /// that goes on, if that was asked for. `None`, and nothing changed, if the claim no longer stands.
    pub async fn complete_with_stand_in(
        &self,
        job: ClaimedJob,
        stand_in: StandIn,
        now: Timestamp,
    ) -> StoreResult<Option<ClaimedJob>> {
        self.writer
            .write(Lane::of(&job.project_id), move |write| {
                let StandIn { outcome, lesson, follow_up, warning } = stand_in;
                // Whoever is stood in for is whom the follow-up waits for.
                let model = lesson.written.written_by.stands_in_for.as_deref().unwrap_or("unknown");
                if !turn_into_follow_up(write, &job, &follow_up, model)? {
                    return Ok(None);
                }
                let about = ReviewedTrace { trace_id: job.trace_id, outcome, attempts: job.attempts, now };
                let memory_id = lessons::store(write, &job.project_id, &about, &lesson)?;
                write.submit(
                    "UPDATE jobs SET revision = (SELECT revision FROM memories WHERE project_id = ?2 AND memory_id = ?3)
                     WHERE job_id = ?1 AND project_id = ?2",
                    params![job.job_id, &job.project_id, memory_id],
                )?;
                traces::set_stand_in_warning(write, &job.project_id, job.trace_id, Some(&warning))?;
                let lease = match follow_up {
                    FollowUp::Continue(lease) => lease,
                    FollowUp::At(..) => job.lease,
                };
                Ok(Some(ClaimedJob { kind: JobKind::FollowUp, attempts: 1, lease, ..job }))
            })
            .await
    }

    /// Replaces a stand-in by the lesson that it stood in for, as a new revision, and ends the job. Id, credits and utility
    /// of the memory stay.
    pub async fn complete_follow_up(
        &self,
        job: ClaimedJob,
        outcome: Outcome,
        lesson: LessonInsert,
        now: Timestamp,
    ) -> StoreResult<FollowUpEnd> {
        self.writer
            .write(Lane::of(&job.project_id), move |write| {
                let stands_in = stand_in(write, &job)?;
                if !jobs::end(write, &job)? {
                    return Ok(FollowUpEnd::ClaimGone);
                }
                traces::set_stand_in_warning(write, &job.project_id, job.trace_id, None)?;
                let Some(memory_id) = stands_in else {
                    return Ok(FollowUpEnd::Superseded);
                };
                let success = Some(outcome.is_pass());
                let LessonInsert { written, vectors, .. } = &lesson;
                let revision = Revision { written, success, now, vectors };
                lessons::revise(write, &job.project_id, memory_id, &revision)?;
                Ok(FollowUpEnd::Replaced)
            })
            .await
    }
}

/// The memory that `job` may still replace.
fn stand_in(write: &dyn Transaction, job: &ClaimedJob) -> StoreResult<Option<MemoryId>> {
    write.query_opt(
        "SELECT m.memory_id FROM jobs j
         JOIN traces t ON t.project_id = j.project_id AND t.trace_id = j.trace_id
         JOIN memories m ON m.project_id = t.project_id AND m.memory_id = t.created_memory_id
         WHERE j.job_id = ?1 AND j.project_id = ?2 AND m.revision = j.revision AND m.deleted_at IS NULL",
        params![job.job_id, &job.project_id],
        |row| row.get("memory_id"),
    )
}

fn turn_into_follow_up(
    write: &dyn Transaction,
    job: &ClaimedJob,
    follow_up: &FollowUp,
    model: &str,
) -> StoreResult<bool> {
    let (owner, attempts, run_at, error) = match follow_up {
        FollowUp::Continue(lease) => (Some(lease.owner), 1_i64, lease.until, None),
        FollowUp::At(at, error) => (None, 0, *at, Some(error)),
    };
    let turned = write.execute(
        "UPDATE jobs SET kind = ?6, priority = ?7, lease_owner = ?8, attempts = ?9, run_at = ?10, last_error = ?11,
                         model = ?12
         WHERE job_id = ?1 AND review_id = ?2 AND lease_owner = ?3 AND attempts = ?4 AND run_at = ?5 AND project_id = ?13",
        params![
            job.job_id,
            job.review_id,
            job.lease.owner,
            job.attempts,
            job.lease.until,
            JobKind::FollowUp.as_str(),
            Priority::FollowUp.number(),
            owner,
            attempts,
            run_at,
            error,
            model,
            &job.project_id,
        ],
    )?;
    Ok(turned > 0)
}

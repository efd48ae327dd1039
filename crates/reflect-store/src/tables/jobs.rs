//! Rows of the queue: a lesson to write, or to write again.

use reflect_core::{JobKind, ProjectId, ReviewId, Timestamp, TraceId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, Read, Transaction, Value, params},
};

/// The right to work on jobs, until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The worker.
    pub owner: Uuid,
    /// When the jobs fall due again for others.
    pub until: Timestamp,
}

/// A job in the hands of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job.
    pub job_id: i64,
    /// What it is for.
    pub kind: JobKind,
    /// The project.
    pub project_id: ProjectId,
    /// The trace to be reflected on.
    pub trace_id: TraceId,
    /// The review that asked for it.
    pub review_id: ReviewId,
    /// Which attempt this is, from 1.
    pub attempts: u32,
    /// Who holds it, and how long. A worker may come to hold the same attempt of the same job twice, after a release or a
    /// retry; the end of the lease tells the two claims apart.
    pub lease: Lease,
}

/// In which order jobs are claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Priority {
    /// A client waits for it.
    WaitedFor = 0,
    Background = 1,
    /// After all lessons that are still to be written at all, and without a say in how far behind the queue is.
    FollowUp = 2,
}

impl Priority {
    pub(crate) const fn number(self) -> i64 {
        self as i64
    }
}

/// A lesson to be queued.
pub(crate) struct JobInsert {
    pub(crate) trace_id: TraceId,
    pub(crate) review_id: ReviewId,
    pub(crate) priority: Priority,
    pub(crate) now: Timestamp,
}

/// Queues the lesson of a review.
pub(crate) fn insert(write: &dyn Transaction, project_id: &ProjectId, job: &JobInsert) -> StoreResult<()> {
    write.submit(
        "INSERT INTO jobs (project_id, trace_id, review_id, priority, run_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![project_id, job.trace_id, job.review_id, job.priority.number(), job.now],
    )
}

/// Whether the very claim still stands; nobody can take the job from then on. Somebody else's claim may hold the row for a moment and leave it as it
/// is, so it is waited for; whoever claims waits for nothing meanwhile.
const STANDS: &str = "SELECT 1 FROM jobs
     WHERE project_id = ?1 AND trace_id = ?2 AND job_id = ?3 AND review_id = ?4 AND lease_owner = ?5 AND attempts = ?6
       AND run_at = ?7 AND EXISTS (SELECT 1 FROM projects WHERE project_id = ?1)
     /* lock */";

fn claim(job: &ClaimedJob) -> [Value<'_>; 7] {
    let ClaimedJob { project_id, trace_id, job_id, review_id, lease, attempts, .. } = job;
    [
        Value::from(project_id),
        Value::from(*trace_id),
        Value::from(*job_id),
        Value::from(*review_id),
        Value::from(lease.owner),
        Value::from(*attempts),
        Value::from(lease.until),
    ]
}

/// Says that a job will end.
pub(crate) fn prefetch_end(read: &dyn Read, job: &ClaimedJob) -> StoreResult<()> {
    read.prefetch(STANDS, &claim(job))
}

/// Removes a job if the very claim still stands; says whether it did. None does in a project that was deleted.
pub(crate) fn end(write: &dyn Transaction, job: &ClaimedJob) -> StoreResult<bool> {
    let stands = write.exists(STANDS, &claim(job))?;
    if stands {
        delete(write, &job.project_id, job.trace_id)?;
    }
    Ok(stands)
}

/// Removes the job of a trace, whatever its state.
pub(crate) fn delete(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    write.submit("DELETE FROM jobs WHERE project_id = ?1 AND trace_id = ?2", params![project_id, trace_id])
}

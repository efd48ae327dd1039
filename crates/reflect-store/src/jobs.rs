//! The queue of lessons to write, and to write again.
//!
//! A claim counts an attempt, names its owner and moves `run_at` to the end of the lease; the work happens outside any
//! transaction; the end of it takes effect only if the very claim still stands. So a worker that died, hung or was
//! overtaken by a taken-back review can do no harm.

use std::sync::Arc;

use reflect_core::{Outcome, ProjectId, ProjectSettings, Timestamp, Trace, TraceId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Lane, Operation, Read, params},
    store::Store,
    tables::{
        jobs::{self, ClaimedJob, Lease},
        lessons::{self, LessonInsert, ReviewedTrace},
        projects,
        queue::{self, ClaimLimits, LatestDue, QueueDepth},
        traces::{self, TraceView},
    },
};

/// What a worker needs to write a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct JobInput {
    /// The run with its trajectory and review.
    pub trace: Trace,
    /// The project's own defaults.
    pub settings: ProjectSettings,
}

/// How a job goes on after a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobFailure {
    /// It is tried again at that time.
    RetryAt(Timestamp),
    /// The failure was not the job's: it is tried again at that time, and this attempt does not count.
    GivenBack(Timestamp),
    /// It is not tried again by itself.
    GivenUp(Timestamp),
}

impl Store {
    /// Takes jobs that are due at `now`, as many as the limits allow: those with a client waiting first, then the oldest
    /// lessons, then follow-ups, which are shared out among the models that they wait for.
    pub async fn claim_jobs(
        &self,
        lease: Lease,
        now: Timestamp,
        limits: impl Into<ClaimLimits>,
    ) -> StoreResult<Vec<ClaimedJob>> {
        let limits = limits.into();
        self.writer.write(Lane::Queue, move |write| queue::claim(write, lease, now, &limits)).await
    }

    /// What claimed jobs are about, in their order; `None` for one whose trace or project is gone. One that cannot be read
    /// does not stand in the way of the others.
    pub async fn get_job_inputs(&self, jobs: &[ClaimedJob]) -> StoreResult<Vec<StoreResult<Option<JobInput>>>> {
        let ids: Vec<(ProjectId, TraceId)> = jobs.iter().map(|job| (job.project_id.clone(), job.trace_id)).collect();
        self.readers
            .read(move |read| {
                for (project_id, trace_id) in &ids {
                    traces::prefetch(read, project_id, *trace_id, TraceView::Whole)?;
                    projects::prefetch(read, project_id)?;
                }
                let input = |(project_id, trace_id): &(ProjectId, TraceId)| -> StoreResult<Option<JobInput>> {
                    let trace = traces::get(read, project_id, *trace_id, TraceView::Whole)?;
                    let project = projects::get(read, project_id)?;
                    Ok(trace.zip(project).map(|(trace, project)| JobInput { trace, settings: project.settings }))
                };
                Ok(ids.iter().map(input).collect())
            })
            .await
    }

    /// Stores a job's lesson and ends it. Answers `false`, and changes nothing, if the claim no longer stands.
    pub async fn complete_job(
        &self,
        job: ClaimedJob,
        outcome: Outcome,
        lesson: LessonInsert,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let lane = Lane::of(&job.project_id);
        let job = Arc::new(job);
        let asked = Arc::clone(&job);
        let ask_ahead = move |read: &dyn Read| {
            let ClaimedJob { project_id, trace_id, .. } = &*asked;
            jobs::prefetch_end(read, &asked)?;
            traces::prefetch_warnings(read, project_id, *trace_id)?;
            lessons::prefetch(read, project_id, *trace_id)
        };
        self.writer
            .write_asking(lane, Operation::Background, Arc::new(ask_ahead), move |write| {
                if !jobs::end(write, &job)? {
                    return Ok(false);
                }
                // The lesson of an earlier review may have been a stand-in.
                traces::set_stand_in_warning(write, &job.project_id, job.trace_id, None)?;
                let about = ReviewedTrace { trace_id: job.trace_id, outcome, attempts: job.attempts, now };
                lessons::store(write, &job.project_id, &about, &lesson)?;
                Ok(true)
            })
            .await
    }

    /// Ends a job without any effect. Answers `false`, and changes nothing, if the claim no longer stands.
    pub async fn abandon_job(&self, job: ClaimedJob) -> StoreResult<bool> {
        self.writer.write(Lane::of(&job.project_id), move |write| jobs::end(write, &job)).await
    }

    /// Notes that an attempt failed. Answers `false`, and changes nothing, if the claim no longer stands.
    pub async fn fail_job(&self, job: ClaimedJob, error: String, failure: JobFailure) -> StoreResult<bool> {
        let (run_at, failed_at, counted) = match failure {
            JobFailure::RetryAt(at) => (at, None, 1_i64),
            JobFailure::GivenBack(at) => (at, None, 0),
            JobFailure::GivenUp(at) => (at, Some(at), 1),
        };
        self.writer
            .write(Lane::of(&job.project_id), move |write| {
                let noted = write.execute(
                    "UPDATE jobs SET lease_owner = NULL, run_at = ?6, failed_at = ?7, last_error = ?8,
                                     attempts = attempts - 1 + ?9
                     WHERE job_id = ?1 AND review_id = ?2 AND lease_owner = ?3 AND attempts = ?4 AND run_at = ?5
                       AND project_id = ?10",
                    params![
                        job.job_id,
                        job.review_id,
                        job.lease.owner,
                        job.attempts,
                        job.lease.until,
                        run_at,
                        failed_at,
                        &error,
                        counted,
                        &job.project_id,
                    ],
                )?;
                Ok(noted > 0)
            })
            .await
    }

    /// Gives claimed jobs back: those of `owner`, uncounted; or those of everyone, whose processes must have died in the
    /// middle, so that their attempts count. In a database that others may work on, too, the latter are those whose lease has ended.
    pub async fn release_jobs(&self, owner: Option<Uuid>, now: Timestamp) -> StoreResult<usize> {
        self.writer
            .write(Lane::Queue, move |write| match owner {
                Some(owner) => queue::release_of(write, owner, now),
                None => queue::release_all(write, now),
            })
            .await
    }

    /// Makes jobs due now that are due later than they can be, and answers how many there were. Looks before it writes.
    pub async fn bring_jobs_forward(&self, latest: LatestDue, now: Timestamp) -> StoreResult<usize> {
        if !self.readers.read(move |read| queue::is_any_too_late(read, latest)).await? {
            return Ok(0);
        }
        self.writer.write(Lane::Queue, move |write| queue::bring_forward(write, latest, now)).await
    }

    /// Queues a job whose attempts ran out once more, from the start. `false` if the trace has no such job.
    pub async fn retry_job(&self, project_id: ProjectId, trace_id: TraceId, now: Timestamp) -> StoreResult<bool> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let requeued = write.execute(
                    "UPDATE jobs SET failed_at = NULL, lease_owner = NULL, attempts = 0, run_at = ?3
                     WHERE project_id = ?1 AND trace_id = ?2 AND failed_at IS NOT NULL",
                    params![&project_id, trace_id, now],
                )?;
                Ok(requeued > 0)
            })
            .await
    }

    /// Since when the lesson that has waited longest has been due.
    pub async fn oldest_due_job(&self, now: Timestamp) -> StoreResult<Option<Timestamp>> {
        let due = self.readers.read(queue::first_lesson_due).await?;
        Ok(due.filter(|due| *due <= now))
    }

    /// How long the queue is, by kind. Kinds without jobs are left out.
    pub async fn queue_depths(&self) -> StoreResult<Vec<QueueDepth>> {
        self.readers.read(queue::depths).await
    }

    /// When the next job falls due, which may be in the past.
    pub async fn next_job_due(&self) -> StoreResult<Option<Timestamp>> {
        self.next_claimable_job(usize::MAX.into()).await
    }

    /// When the next job falls due that a claim with these limits would take, which may be in the past.
    pub async fn next_claimable_job(&self, limits: ClaimLimits) -> StoreResult<Option<Timestamp>> {
        self.readers.read(move |read| queue::next_due(read, &limits)).await
    }
}

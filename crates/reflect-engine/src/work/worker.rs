//! One job from its claim to its end.

use std::sync::Arc;

use reflect_core::JobKind;
use reflect_store::{ClaimedJob, JobFailure, JobInput};
use tokio::time::Instant;

use super::{
    attempts::{Assignment, AttemptError, Attempted},
    claims::Claim,
    pauses::{ATTEMPTS, BUSY, GIVEN_BACK_PAUSE},
};
use crate::{
    Changed, Engine, EngineResult,
    metrics::{JOB_SECONDS, JOBS, STAND_INS},
};

/// How many attempts may end with the death of the process before a run is suspected of causing it. Far more than any one
/// server is killed in the middle of the same lesson by chance.
const MAX_DEATHS: u32 = 20;

impl Engine {
    /// Works every job that is due, one after the other, and answers how many there were. For tests and tools; a server
    /// has [`crate::Background`].
    pub async fn run_due_jobs(self: &Arc<Self>) -> EngineResult<usize> {
        let mut worked = 0;
        loop {
            let claims = self.claim_jobs(self.settings.workers).await?;
            if claims.is_empty() {
                return Ok(worked);
            }
            worked += claims.len();
            for (claim, input) in self.with_inputs(claims).await? {
                self.work(claim, input).await;
            }
        }
    }

    /// Claimed jobs with what they are about. Those whose trace is gone are passed over: so are their rows. One that cannot
    /// be read fails; if none can be, all are given back.
    pub(super) async fn with_inputs(&self, claims: Vec<Claim>) -> EngineResult<Vec<(Claim, JobInput)>> {
        let jobs: Vec<ClaimedJob> = claims.iter().map(|claim| claim.job.clone()).collect();
        let inputs = match self.store.get_job_inputs(&jobs).await {
            Ok(inputs) => inputs,
            Err(error) => {
                let later = self.now().plus(GIVEN_BACK_PAUSE);
                for job in jobs {
                    self.note_failure(job, error.to_string(), JobFailure::GivenBack(later)).await;
                }
                return Err(error.into());
            }
        };
        let mut readable = Vec::with_capacity(claims.len());
        for (claim, input) in claims.into_iter().zip(inputs) {
            match input {
                Ok(Some(input)) => readable.push((claim, input)),
                Ok(None) => {}
                Err(error) => self.note_failure(claim.job, error.to_string(), JobFailure::GivenUp(self.now())).await,
            }
        }
        Ok(readable)
    }

    /// Works one claimed job to an end: a stored lesson, a later attempt, or a failure that stands on the trace.
    pub(super) async fn work(&self, claim: Claim, input: JobInput) {
        let Claim { job, slot } = claim;
        let (trace_id, kind, project_id) = (job.trace_id, job.kind, job.project_id.clone());
        let began = Instant::now();
        let (label, is_end) = match self.attempt(&job, &input).await {
            Ok(attempted) => {
                if attempted == Attempted::Done {
                    self.note_written_lesson();
                }
                (attempted.label(), attempted.is_end())
            }
            Err(error) => self.note_failed_attempt(job, error).await,
        };
        self.metrics.count(&JOBS, &[kind.as_str(), label]);
        self.metrics.observe(&JOB_SECONDS, &[kind.as_str()], began.elapsed());
        if is_end {
            self.coordination.notify_finished(trace_id);
        }
        self.coordination.note_change(&project_id, Changed::LEARNING);
        if slot.is_some() {
            drop(slot);
            // The next follow-up may have waited for this slot.
            self.coordination.wake_worker();
        }
    }

    async fn attempt(&self, job: &ClaimedJob, input: &JobInput) -> Result<Attempted, AttemptError> {
        if job.attempts > self.max_attempts(job.kind).saturating_add(MAX_DEATHS) {
            return Err(AttemptError::GiveUp("too many attempts ended with the process or with their lease".into()));
        }
        let Some(review) = &input.trace.review else {
            return Ok(Attempted::Done);
        };
        let assignment = Assignment { job, input, review };
        let model = self.models.reflector_of(&input.settings);
        match (job.kind, model) {
            (JobKind::FollowUp, model) => self.attempt_follow_up(assignment, model.as_deref()).await,
            (JobKind::Lesson, Some(model)) => self.attempt_by_model(assignment, &model).await,
            (JobKind::Lesson, None) => self.attempt_by_rules(assignment).await,
        }
    }

    /// Writes down that an attempt came to nothing. Answers the label under which it is counted, and whether it was the last.
    async fn note_failed_attempt(&self, job: ClaimedJob, error: AttemptError) -> (&'static str, bool) {
        let (trace_id, kind, attempts) = (job.trace_id, job.kind, job.attempts);
        match error {
            AttemptError::Retry(why) if attempts < self.max_attempts(kind) => {
                tracing::warn!(%trace_id, attempt = attempts, error = why, "no lesson yet, will try again");
                let failure = JobFailure::RetryAt(self.retry_at(ATTEMPTS, attempts));
                self.note_failure(job, why, failure).await;
                ("retry", false)
            }
            AttemptError::Retry(why) | AttemptError::GiveUp(why) => {
                self.give_up(job, why).await;
                ("failed", true)
            }
            AttemptError::Busy(why) => {
                let failure = JobFailure::GivenBack(self.retry_at(BUSY, 1));
                self.note_failure(job, why, failure).await;
                ("given_back", false)
            }
            AttemptError::Disk(error) => {
                tracing::error!(%trace_id, %error, "a lesson could not be stored; its job is given back");
                let failure = JobFailure::GivenBack(self.now().plus(GIVEN_BACK_PAUSE));
                self.note_failure(job, error.to_string(), failure).await;
                ("given_back", false)
            }
            AttemptError::Store(error) => {
                tracing::error!(%trace_id, %error, "a lesson could not be stored; its job falls due again with its lease");
                ("store_failed", false)
            }
        }
    }

    /// Without a lesson the failure stands on the trace; without a better one the lesson by rules stays.
    async fn give_up(&self, job: ClaimedJob, why: String) {
        let (trace_id, attempts) = (job.trace_id, job.attempts);
        match job.kind {
            JobKind::Lesson => {
                self.note_failed_lesson();
                tracing::error!(%trace_id, attempts, error = why, "gave up on a lesson");
                let failure = JobFailure::GivenUp(self.now());
                self.note_failure(job, why, failure).await;
            }
            JobKind::FollowUp => {
                tracing::warn!(%trace_id, attempts, error = why, "a lesson by rules stays");
                self.metrics.count(&STAND_INS, &["kept"]);
                self.abandon(job).await;
            }
        }
    }

    fn max_attempts(&self, kind: JobKind) -> u32 {
        match kind {
            JobKind::Lesson => self.settings.max_attempts,
            JobKind::FollowUp => self.settings.follow_up_attempts,
        }
    }

    async fn abandon(&self, job: ClaimedJob) {
        let trace_id = job.trace_id;
        if let Err(error) = self.store.abandon_job(job).await {
            tracing::error!(%trace_id, %error, "a follow-up could not be given up; it falls due with its lease");
        }
    }

    async fn note_failure(&self, job: ClaimedJob, why: String, failure: JobFailure) {
        let trace_id = job.trace_id;
        if let Err(error) = self.store.fail_job(job, why, failure).await {
            tracing::error!(%trace_id, %error, "a failed attempt could not be noted; the job falls due with its lease");
        }
    }
}

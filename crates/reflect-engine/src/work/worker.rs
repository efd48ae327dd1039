//! Working jobs: reading a reviewed run, writing its lesson down.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use reflect_core::{JobKind, Outcome, Review, Timestamp};
use reflect_store::{ClaimedJob, JobFailure, JobInput, LessonInsert, StoreError, StoreResult};
use reflection::WrittenLesson;

use super::{claims::Claim, lessons::reviewed_run};
use crate::{
    Engine, EngineResult,
    metrics::{JOBS, STAND_INS},
};

/// How much longer than its timeout an attempt keeps its lease: time to store the lesson.
pub(crate) const LEASE_MARGIN_MILLIS: i64 = 30_000;

/// How long a finished lesson waits for a disk that takes no writes: well within that margin.
const STORE_PATIENCE: Duration = Duration::from_secs(20);

/// How often it is tried meanwhile.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// How many attempts may end with the death of the process before a run is suspected of causing it. Far more than any one
/// server is killed in the middle of the same lesson by chance.
const MAX_DEATHS: u32 = 20;

/// The first pause before a failed attempt is repeated; each further one is twice as long.
const FIRST_PAUSE_MILLIS: i64 = 1_000;

/// The longest pause.
const LONGEST_PAUSE_MILLIS: i64 = 60_000;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempted {
    /// There is nothing left to do.
    Done,
    /// It is tried again later; that has been written down.
    Later,
    /// It was not tried at all, and falls due again; that has been written down.
    GivenBack,
    /// It is not tried again, and what was there before stays.
    Kept,
}

impl Attempted {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Later => "retry",
            Self::GivenBack => "given_back",
            Self::Kept => "failed",
        }
    }

    const fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Kept)
    }
}

/// Why an attempt came to nothing.
pub(crate) enum AttemptError {
    /// A later attempt may do better.
    Retry(String),
    /// No attempt will.
    GiveUp(String),
    /// The disk takes no writes, which says nothing about the job.
    Disk(StoreError),
    /// The store failed. The job's lease runs out, and it falls due again.
    Store(StoreError),
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull | StoreError::NotWritable(_) => Self::Disk(error),
            error => Self::Store(error),
        }
    }
}

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
    pub(crate) async fn with_inputs(&self, claims: Vec<Claim>) -> EngineResult<Vec<(Claim, JobInput)>> {
        let jobs: Vec<ClaimedJob> = claims.iter().map(|claim| claim.job.clone()).collect();
        let inputs = match self.store.get_job_inputs(&jobs).await {
            Ok(inputs) => inputs,
            Err(error) => {
                let later = self.now().plus_millis(FIRST_PAUSE_MILLIS);
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
    pub(crate) async fn work(&self, claim: Claim, input: JobInput) {
        let Claim { job, place } = claim;
        let (trace_id, kind) = (job.trace_id, job.kind);
        let (outcome, ended) = match self.attempt(&job, &input).await {
            Ok(attempted) => (attempted.name(), attempted.is_end()),
            Err(AttemptError::Retry(why)) if job.attempts < self.max_attempts(kind) => {
                tracing::warn!(%trace_id, attempt = job.attempts, error = why, "no lesson yet, will try again");
                let failure = JobFailure::RetryAt(self.now().plus_millis(self.pause_millis(job.attempts)));
                self.note_failure(job, why, failure).await;
                ("retry", false)
            }
            Err(AttemptError::Retry(why) | AttemptError::GiveUp(why)) if kind == JobKind::FollowUp => {
                tracing::warn!(%trace_id, attempts = job.attempts, error = why, "a lesson by rules stays");
                self.metrics.count(&STAND_INS, &["kept"]);
                self.abandon(job).await;
                ("failed", true)
            }
            Err(AttemptError::Retry(why) | AttemptError::GiveUp(why)) => {
                tracing::error!(%trace_id, attempts = job.attempts, error = why, "gave up on a lesson");
                let failure = JobFailure::GivenUp(self.now());
                self.note_failure(job, why, failure).await;
                ("failed", true)
            }
            Err(AttemptError::Disk(error)) => {
                tracing::error!(%trace_id, %error, "a lesson could not be stored; its job is given back");
                let failure = JobFailure::GivenBack(self.now().plus_millis(FIRST_PAUSE_MILLIS));
                self.note_failure(job, error.to_string(), failure).await;
                ("given_back", false)
            }
            Err(AttemptError::Store(error)) => {
                tracing::error!(%trace_id, %error, "a lesson could not be stored; its job falls due again with its lease");
                ("store_failed", false)
            }
        };
        self.metrics.count(&JOBS, &[kind.as_str(), outcome]);
        if ended {
            self.finished.tell(trace_id);
        }
        if place.is_some() {
            drop(place);
            // The next follow-up may have waited for this place.
            self.job_queued.notify_one();
        }
    }

    async fn attempt(&self, job: &ClaimedJob, input: &JobInput) -> Result<Attempted, AttemptError> {
        if job.attempts > self.max_attempts(job.kind).saturating_add(MAX_DEATHS) {
            return Err(AttemptError::GiveUp("too many attempts ended with the process or with their lease".into()));
        }
        let Some(review) = input.trace.review.clone() else {
            return Ok(Attempted::Done);
        };
        let model = self.models.reflector_of(&input.settings);
        match (job.kind, model) {
            (JobKind::FollowUp, model) => self.attempt_follow_up(job, input, &review, model).await,
            (JobKind::Lesson, Some(model)) => self.attempt_by_model(job, input, &review, &model).await,
            (JobKind::Lesson, None) => {
                let written = self.reflect(input, &review).await?;
                self.store_written(job, input, review.result, written).await.map(|()| Attempted::Done)
            }
        }
    }

    fn max_attempts(&self, kind: JobKind) -> u32 {
        match kind {
            JobKind::Lesson => self.settings.max_attempts,
            JobKind::FollowUp => self.settings.follow_up_attempts,
        }
    }

    /// Stores a lesson and ends its job, if the claim still stands.
    pub(crate) async fn store_written(
        &self,
        job: &ClaimedJob,
        input: &JobInput,
        outcome: Outcome,
        written: WrittenLesson,
    ) -> Result<(), AttemptError> {
        let store = |insert| self.store.complete_job(job.clone(), outcome, insert, self.now());
        if !self.store_drawn(job, input, &written, store).await? {
            tracing::info!(trace_id = %job.trace_id, "a lesson came too late: its job was taken back or over");
        }
        Ok(())
    }

    /// Stores a lesson with the vectors of its task. If the project got another embedder in this very moment, the lesson is
    /// good and its vectors are not: they are made again.
    pub(crate) async fn store_drawn<T, F: Future<Output = StoreResult<T>>>(
        &self,
        job: &ClaimedJob,
        input: &JobInput,
        written: &WrittenLesson,
        mut store: impl FnMut(LessonInsert) -> F,
    ) -> Result<T, AttemptError> {
        loop {
            let WrittenLesson { lesson, written_by, .. } = written.clone();
            let drawn = self.draw_lesson(&job.project_id, &input.trace.task, lesson, written_by).await;
            let insert = drawn.map_err(|error| AttemptError::Retry(error.to_string()))?;
            match self.patiently(|| store(insert.clone())).await {
                Err(AttemptError::Store(StoreError::OtherEmbedder(_))) => self.projects.forget(),
                stored => return stored,
            }
        }
    }

    /// Stores something that may have been expensive. A full disk may have room again in a moment: so it is tried for a while.
    pub(crate) async fn patiently<T, F: Future<Output = StoreResult<T>>>(
        &self,
        mut store: impl FnMut() -> F,
    ) -> Result<T, AttemptError> {
        let deadline = tokio::time::Instant::now() + STORE_PATIENCE;
        loop {
            match store().await.map_err(AttemptError::from) {
                Err(AttemptError::Disk(_)) if tokio::time::Instant::now() < deadline => {
                    tokio::time::sleep(STORE_PAUSE).await;
                }
                stored => return stored,
            }
        }
    }

    /// Asks the reflector, within the timeout, and lives through its panics.
    pub(crate) async fn reflect(&self, input: &JobInput, review: &Review) -> Result<WrittenLesson, AttemptError> {
        let run = reviewed_run(&input.trace, review);
        let answer = AssertUnwindSafe(self.reflector.reflect_run(&run)).catch_unwind();
        match tokio::time::timeout(self.settings.attempt_timeout, answer).await {
            Err(_) => Err(AttemptError::Retry("the reflector took too long".into())),
            Ok(Err(_)) => Err(AttemptError::GiveUp("the reflector panicked".into())),
            Ok(Ok(Err(error))) if error.is_temporary() => Err(AttemptError::Retry(error.to_string())),
            Ok(Ok(Err(error))) => Err(AttemptError::GiveUp(error.to_string())),
            Ok(Ok(Ok(written))) => Ok(written),
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

    /// Doubles with every attempt, up to a minute, and is then drawn from the upper half, so that jobs that failed together
    /// do not come back together.
    fn pause_millis(&self, attempts: u32) -> i64 {
        let doubled = FIRST_PAUSE_MILLIS.checked_shl(attempts.saturating_sub(1)).unwrap_or(LONGEST_PAUSE_MILLIS);
        self.jittered(doubled.clamp(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS))
    }

    /// A pause drawn from the upper half of this one.
    pub(crate) fn jittered(&self, pause: i64) -> i64 {
        let mut random = [0_u8; 2];
        self.entropy.fill(&mut random);
        pause / 2 + pause / 2 * i64::from(u16::from_le_bytes(random)) / i64::from(u16::MAX)
    }

    /// Looks how far behind the queue is.
    pub async fn measure_backlog(&self) -> EngineResult<()> {
        let now = self.now();
        let oldest: Option<Timestamp> = self.store.oldest_due_job(now).await?;
        let millis = oldest.map_or(0, |due| now.millis_since(due));
        self.backlog_millis.store(millis, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }
}

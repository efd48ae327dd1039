//! The last step of a lesson: storing it, for as long as its job's lease allows.

use std::time::Duration;

use reflect_core::WrittenLesson;
use reflect_store::{LessonInsert, StoreError, StoreResult};

use super::attempts::{Assignment, AttemptError};
use crate::{Engine, EngineError};

/// How long a finished lesson waits for a disk that takes no writes, or for a busy embedder: well within the margin of a lease.
const STORE_PATIENCE: Duration = Duration::from_secs(20);

/// How often it is tried meanwhile.
const STORE_PAUSE: Duration = Duration::from_secs(1);

impl Engine {
    /// Stores a lesson and ends its job, if the claim still stands.
    pub(super) async fn store_lesson(
        &self,
        assignment: Assignment<'_>,
        written: &WrittenLesson,
    ) -> Result<(), AttemptError> {
        let Assignment { job, review, .. } = assignment;
        let store = |insert| self.store.complete_job(job.clone(), review.result, insert, self.now());
        if !self.store_embedded(assignment, written, store).await? {
            tracing::info!(trace_id = %job.trace_id, "a lesson came too late: its job was taken back or over");
        }
        Ok(())
    }

    /// Stores a lesson with its vectors. If the project got another embedder in this very moment, the lesson is
    /// good and its vectors are not: they are made again. A lesson that a model was paid for waits for an embedder that is busy; one
    /// by rules is as good the next time.
    pub(super) async fn store_embedded<T, F: Future<Output = StoreResult<T>>>(
        &self,
        Assignment { job, input, .. }: Assignment<'_>,
        written: &WrittenLesson,
        mut store: impl FnMut(LessonInsert) -> F,
    ) -> Result<T, AttemptError> {
        let deadline = tokio::time::Instant::now() + STORE_PATIENCE;
        loop {
            let may_wait = || written.written_by.model.is_some() && tokio::time::Instant::now() < deadline;
            let insert = match self.lesson_insert(&job.project_id, &input.trace.task, written.clone()).await {
                Ok(insert) => insert,
                Err(EngineError::EmbedderBusy { .. }) if may_wait() => {
                    tokio::time::sleep(STORE_PAUSE).await;
                    continue;
                }
                Err(error @ EngineError::EmbedderBusy { .. }) => return Err(AttemptError::Busy(error.to_string())),
                Err(error) => return Err(AttemptError::Retry(error.to_string())),
            };
            match self.patiently(|| store(insert.clone())).await {
                Err(AttemptError::Store(StoreError::OtherEmbedder(_))) => self.coordination.forget_projects(),
                stored => return stored,
            }
        }
    }

    /// Stores something that may have been expensive. A full disk may have room again in a moment: so it is tried for a while.
    pub(super) async fn patiently<T, F: Future<Output = StoreResult<T>>>(
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
}

//! Having a lesson written: by rules, or by a model that is also told which lessons the run was shown.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use reflect_core::{MemoryId, Review, Trace, WrittenLesson};
use reflect_store::ShownTo;
use reflection::{ReviewedRun, ShownLesson};

use super::attempts::{Assignment, AttemptError};
use crate::{
    Engine,
    models::{Fallback, Model},
};

/// How many lessons that a run was shown are shown to the model.
const MAX_SHOWN: usize = 20;

impl Engine {
    /// Asks the rules, within the timeout, and lives through their panics.
    pub(super) async fn write_by_rules(&self, assignment: Assignment<'_>) -> Result<WrittenLesson, AttemptError> {
        let run = reviewed_run(&assignment.input.trace, assignment.review);
        let answer = AssertUnwindSafe(self.reflector.reflect_run(&run)).catch_unwind();
        match tokio::time::timeout(self.settings.attempt_timeout, answer).await {
            Err(_) => Err(AttemptError::Retry("the reflector took too long".into())),
            Ok(Err(_)) => Err(AttemptError::GiveUp("the reflector panicked".into())),
            Ok(Ok(Err(error))) if error.is_temporary() => Err(AttemptError::Retry(error.to_string())),
            Ok(Ok(Err(error))) => Err(AttemptError::GiveUp(error.to_string())),
            Ok(Ok(Ok(reflected))) => Ok(reflected.written),
        }
    }

    /// The run, with the lessons that it was shown, in the words that it was shown them.
    pub(super) async fn run_with_lessons(&self, Assignment { job, input, review }: Assignment<'_>) -> ReviewedRun {
        let mut run = reviewed_run(&input.trace, review);
        let ids: Vec<MemoryId> =
            input.trace.retrieved_memory_ids.iter().filter_map(|id| id.parse().ok()).take(MAX_SHOWN).collect();
        let shown_to = ShownTo { memory_ids: ids, retrieval_id: input.trace.retrieval_id, review_id: review.id };
        match self.store.get_shown_memories(job.project_id.clone(), shown_to).await {
            Ok(memories) => {
                let shown = memories.into_iter().map(|memory| ShownLesson {
                    memory_id: memory.id.to_string(),
                    task: memory.task,
                    lesson: memory.lesson,
                    success: memory.success,
                });
                run.shown_lessons = shown.collect();
            }
            Err(error) => tracing::warn!(%error, "a model writes without the lessons that its run was shown"),
        }
        run
    }
}

/// Asks a model, and lives through its reflector's panics. How long it may take is up to the caller.
pub(super) async fn write_by_model(model: &Model, run: ReviewedRun) -> Result<WrittenLesson, Fallback> {
    match AssertUnwindSafe(model.reflector.reflect_run(&run)).catch_unwind().await {
        Ok(Ok(reflected)) => Ok(reflected.written),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Fallback::Panicked),
    }
}

/// A run as reflectors read it, without the lessons that it was shown.
pub(crate) fn reviewed_run(trace: &Trace, review: &Review) -> ReviewedRun {
    ReviewedRun {
        task: trace.task.clone(),
        messages: trace.trajectory.as_ref().map(reflect_core::Trajectory::messages).unwrap_or_default(),
        final_response: trace.final_response.clone(),
        outcome: review.result,
        feedback_text: review.feedback_text.clone(),
        review_source: review.source,
        reference_context: trace.reference_context.clone(),
        shown_lessons: Vec::new(),
    }
}

//! Follow-ups: the model's lesson replaces the rules' lesson that stood in for it.

use reflect_core::WrittenLesson;
use reflect_store::{FollowUpEnd, JobFailure};

use super::{
    attempts::{Assignment, AttemptError, Attempted},
    pauses::FOLLOW_UPS,
    writing::write_by_model,
};
use crate::{
    Engine,
    metrics::STAND_INS,
    models::{CallPermit, Fallback, Model},
};

/// Whether the model was asked about this run before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    First,
    Again,
}

/// What a model said to a question that a follow-up waited for.
pub(super) struct FollowUpAnswer<'a> {
    pub(super) question: Question,
    pub(super) permit: CallPermit<'a>,
    pub(super) written: Result<WrittenLesson, Fallback>,
}

impl Engine {
    /// Works a follow-up: replaces a stand-in by the model's lesson, or tries again later, a limited number of times.
    pub(super) async fn attempt_follow_up(
        &self,
        assignment: Assignment<'_>,
        model: Option<&Model>,
    ) -> Result<Attempted, AttemptError> {
        let job = assignment.job;
        let Some(model) = model else {
            // The project has been given back to the rules, whose lesson is there already.
            self.metrics.count(&STAND_INS, &["kept"]);
            self.store.abandon_job(job.clone()).await?;
            return Ok(Attempted::Done);
        };
        // Those that cannot be worked are not claimed. Things may have changed since, or the project has got another model.
        let admitted = match self.spending.spent_until().await {
            Some(until) => Err(until),
            None => model.breaker.admit(self.now()),
        };
        let permit = match admitted {
            Ok(permit) => permit,
            Err(until) => {
                let failure = JobFailure::GivenBack(self.spread(until));
                self.store.fail_job(job.clone(), "the model is not asked for now".into(), failure).await?;
                return Ok(Attempted::GivenBack);
            }
        };
        let run = self.run_with_lessons(assignment).await;
        let written = tokio::time::timeout(self.settings.attempt_timeout, write_by_model(model, run)).await;
        let written = written.unwrap_or(Err(Fallback::TooSlow));
        self.end_follow_up(assignment, FollowUpAnswer { question: Question::Again, permit, written }).await
    }

    /// Ends a follow-up: one from the queue, or the wait for a call that came late.
    pub(super) async fn end_follow_up(
        &self,
        assignment: Assignment<'_>,
        answer: FollowUpAnswer<'_>,
    ) -> Result<Attempted, AttemptError> {
        let FollowUpAnswer { question, permit, written } = answer;
        match written {
            Ok(written) => {
                permit.answered();
                self.replace_stand_in(assignment, written).await
            }
            Err(fallback) => {
                permit.report(&fallback, self.now());
                self.retry_follow_up(assignment, question, &fallback).await
            }
        }
    }

    async fn replace_stand_in(
        &self,
        Assignment { job, review, input, .. }: Assignment<'_>,
        written: WrittenLesson,
    ) -> Result<Attempted, AttemptError> {
        let lesson = self.revised_lesson(&job.project_id, &input.trace.task, written).await;
        let end =
            self.patiently(|| self.store.complete_follow_up(job.clone(), review.result, lesson.clone(), self.now()));
        let label = match end.await? {
            FollowUpEnd::Replaced => "replaced",
            FollowUpEnd::Superseded => "superseded",
            FollowUpEnd::ClaimGone => "overtaken",
        };
        self.metrics.count(&STAND_INS, &[label]);
        Ok(Attempted::Done)
    }

    async fn retry_follow_up(
        &self,
        Assignment { job, .. }: Assignment<'_>,
        question: Question,
        fallback: &Fallback,
    ) -> Result<Attempted, AttemptError> {
        // A model that could not make anything of a run twice, each time with a second chance, will not the third time either:
        // it answers the same question with the same words, and is paid for them.
        let hopeless = question == Question::Again && matches!(fallback, Fallback::Unusable(_));
        if hopeless || job.attempts >= self.settings.follow_up_attempts {
            tracing::warn!(trace_id = %job.trace_id, error = %fallback, "a lesson by rules stays: the model gave none");
            self.metrics.count(&STAND_INS, &["kept"]);
            self.store.abandon_job(job.clone()).await?;
            return Ok(Attempted::Kept);
        }
        let at = self.retry_at(FOLLOW_UPS, job.attempts + 1);
        self.store.fail_job(job.clone(), fallback.to_string(), JobFailure::RetryAt(at)).await?;
        Ok(Attempted::Later)
    }
}

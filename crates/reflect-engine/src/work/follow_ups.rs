//! Follow-ups: the model's lesson in the place of the rules' lesson that stood in for it.

use std::sync::Arc;

use reflect_core::{Outcome, Review};
use reflect_store::{ClaimedJob, FollowUpEnd, JobFailure, JobInput};
use reflection::WrittenLesson;

use super::{
    lessons::{Asked, NoLesson, ask, too_late},
    worker::{AttemptError, Attempted},
};
use crate::{
    Engine,
    metrics::STAND_INS,
    models::{CallPermit, Model},
};

impl Engine {
    /// Works a follow-up: replaces a stand-in by the model's lesson, or tries again later, a limited number of times.
    pub(crate) async fn attempt_follow_up(
        &self,
        job: &ClaimedJob,
        input: &JobInput,
        review: &Review,
        model: Option<Arc<Model>>,
    ) -> Result<Attempted, AttemptError> {
        let Some(model) = model else {
            // The project has been given back to the rules, whose lesson is there already.
            self.metrics.count(&STAND_INS, &["kept"]);
            self.store.abandon_job(job.clone()).await?;
            return Ok(Attempted::Done);
        };
        // Those that cannot be worked are not claimed. Things may have changed since, or the project has got another model.
        let permit = match self.spending.spent_until().await {
            Some(until) => Err(until),
            None => model.breaker.admit(self.now()),
        };
        let permit = match permit {
            Ok(permit) => permit,
            Err(until) => {
                let failure = JobFailure::GivenBack(self.spread(until));
                self.store.fail_job(job.clone(), "the model is not asked for now".into(), failure).await?;
                return Ok(Attempted::GivenBack);
            }
        };
        let run = self.run_with_lessons(job, input, review).await;
        let written = tokio::time::timeout(self.settings.attempt_timeout, ask(&model, &run)).await;
        let written = written.unwrap_or_else(|_| Err(too_late()));
        self.end_follow_up(job, review.result, permit, (Asked::Again, written)).await
    }

    /// Ends a follow-up, its job or the going on with a call that came late.
    pub(crate) async fn end_follow_up(
        &self,
        job: &ClaimedJob,
        outcome: Outcome,
        permit: CallPermit<'_>,
        (asked, written): (Asked, Result<WrittenLesson, NoLesson>),
    ) -> Result<Attempted, AttemptError> {
        let error = match written {
            Ok(written) => {
                permit.answered();
                // The task stays, and so does its vector.
                let end = self.patiently(|| {
                    let (lesson, written_by) = (written.lesson.clone(), written.written_by.clone());
                    self.store.complete_follow_up(job.clone(), outcome, lesson, written_by, self.now())
                });
                let name = match end.await? {
                    FollowUpEnd::Replaced => "replaced",
                    FollowUpEnd::Superseded => "superseded",
                    FollowUpEnd::ClaimGone => "overtaken",
                };
                self.metrics.count(&STAND_INS, &[name]);
                return Ok(Attempted::Done);
            }
            Err(error) => error,
        };
        // A model that could not make anything of a run twice, each time with a second chance, will not the third time either:
        // it answers the same question with the same words, and is paid for them.
        let hopeless = asked == Asked::Again && matches!(error, NoLesson::Unusable(_));
        let (_, why) = self.note_no_lesson(permit, error);
        if hopeless || job.attempts >= self.settings.follow_up_attempts {
            tracing::warn!(trace_id = %job.trace_id, error = why, "a lesson by rules stays: the model gave none");
            self.metrics.count(&STAND_INS, &["kept"]);
            self.store.abandon_job(job.clone()).await?;
            return Ok(Attempted::Kept);
        }
        let at = self.now().plus_millis(self.follow_up_pause_millis(job.attempts + 1));
        self.store.fail_job(job.clone(), why, JobFailure::RetryAt(at)).await?;
        Ok(Attempted::Later)
    }
}

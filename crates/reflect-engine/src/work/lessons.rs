//! The job of a lesson: written by rules, or by a model that is asked in time.
//!
//! Learning never waits for an outage. Whatever keeps the model from answering before the sender of a review loses patience,
//! the rules' lesson is stored at once, marked as standing in, and the job goes on as a follow-up.

use std::{pin::Pin, time::Duration};

use reflect_core::{Review, Timestamp, WrittenLesson, stand_in_warning};
use reflect_store::{ClaimedJob, FollowUp, StandIn};
use tokio::sync::SemaphorePermit;

use super::{
    attempts::{Assignment, AttemptError, Attempted},
    follow_ups::{FollowUpAnswer, Question},
    pauses::FOLLOW_UPS,
    writing::write_by_model,
};
use crate::{
    Changed, Engine,
    metrics::{FALLBACKS, JOBS, STAND_INS},
    models::{CallPermit, Fallback, Model},
};

/// How much of the time that the sender of a review waits is kept for storing the lesson and answering: 5 of 30 seconds.
const KEPT_OF_DEADLINE: u32 = 6;

/// With less than this part of it left it is not worth asking a model at all: 1 of 30 seconds.
const SHORTEST_TRY: u32 = 30;

/// A call to a model on its way, and what it occupies meanwhile.
struct Call<'a> {
    writing: Pin<Box<dyn Future<Output = Result<WrittenLesson, Fallback>> + Send + 'a>>,
    permit: CallPermit<'a>,
    slot: SemaphorePermit<'a>,
    /// How long its answer is waited for before rules stand in.
    time_left: Duration,
}

impl Engine {
    /// Works the job of a lesson in a project without a model.
    pub(super) async fn attempt_by_rules(&self, assignment: Assignment<'_>) -> Result<Attempted, AttemptError> {
        let written = self.write_by_rules(assignment).await?;
        self.store_lesson(assignment, &written).await?;
        Ok(Attempted::Done)
    }

    /// Works the job of a lesson by asking a model; rules stand in where it gives none in time.
    pub(super) async fn attempt_by_model(
        &self,
        assignment: Assignment<'_>,
        model: &Model,
    ) -> Result<Attempted, AttemptError> {
        let mut call = match self.begin_call(assignment, model).await {
            Ok(call) => call,
            Err(fallback) => return self.stand_in_for_now(assignment, model, &fallback).await,
        };
        match tokio::time::timeout(call.time_left, &mut call.writing).await {
            Ok(Ok(written)) => {
                call.permit.answered();
                self.store_lesson(assignment, &written).await?;
                Ok(Attempted::Done)
            }
            Ok(Err(fallback)) => {
                call.permit.report(&fallback, self.now());
                self.stand_in_for_now(assignment, model, &fallback).await
            }
            Err(_) => self.go_on_as_follow_up(assignment, model, call).await,
        }
    }

    /// Asks a model, unless there is a reason not to.
    async fn begin_call<'a>(&'a self, assignment: Assignment<'_>, model: &'a Model) -> Result<Call<'a>, Fallback> {
        let permit = model.breaker.admit(self.now()).map_err(|until| Fallback::CircuitOpen { until })?;
        if let Some(until) = self.spending.spent_until().await {
            return Err(Fallback::SpendLimit { until });
        }
        let time_left = self.time_left(assignment.review, self.now());
        if time_left < self.settings.review_deadline / SHORTEST_TRY {
            return Err(Fallback::NoTimeLeft);
        }
        let slot = self.model_work.try_acquire().map_err(|_| Fallback::NoSlot)?;
        let run = self.run_with_lessons(assignment).await;
        Ok(Call { writing: Box::pin(write_by_model(model, run)), permit, slot, time_left })
    }

    /// Goes on waiting for a call whose answer is late, behind a stand-in, if one more follow-up may run now.
    async fn go_on_as_follow_up(
        &self,
        assignment: Assignment<'_>,
        model: &Model,
        call: Call<'_>,
    ) -> Result<Attempted, AttemptError> {
        let Ok(_follow_up_slot) = self.follow_ups.try_acquire() else {
            drop(call.writing);
            return self.stand_in_for_now(assignment, model, &Fallback::NoFollowUpSlot).await;
        };
        drop(call.slot);
        let follow_up = FollowUp::Continue(self.lease());
        let Some(job) = self.stand_in(assignment, model, &Fallback::TooSlow, follow_up).await? else {
            return Ok(Attempted::Done);
        };
        // Whoever waits for this lesson has one now.
        self.coordination.notify_finished(job.trace_id);
        self.coordination.note_change(&job.project_id, Changed::LEARNING);
        let written = tokio::time::timeout(self.settings.attempt_timeout, call.writing).await;
        let answer = FollowUpAnswer {
            question: Question::First,
            permit: call.permit,
            written: written.unwrap_or(Err(Fallback::TooSlow)),
        };
        let ended = self.end_follow_up(Assignment { job: &job, ..assignment }, answer).await?;
        self.metrics.count(&JOBS, &[job.kind.as_str(), ended.label()]);
        Ok(Attempted::Done)
    }

    /// Stores the rules' lesson; the model is asked for its own later.
    async fn stand_in_for_now(
        &self,
        assignment: Assignment<'_>,
        model: &Model,
        fallback: &Fallback,
    ) -> Result<Attempted, AttemptError> {
        let follow_up = FollowUp::At(self.ask_again_at(fallback), fallback.to_string());
        self.stand_in(assignment, model, fallback, follow_up).await?;
        Ok(Attempted::Done)
    }

    /// Stores the rules' lesson and turns the job into a follow-up; answers the claim on it, if the job still stood.
    async fn stand_in(
        &self,
        assignment: Assignment<'_>,
        model: &Model,
        fallback: &Fallback,
        follow_up: FollowUp,
    ) -> Result<Option<ClaimedJob>, AttemptError> {
        let Assignment { job, review, .. } = assignment;
        let mut written = self.write_by_rules(assignment).await?;
        written.written_by = written.written_by.standing_in_for(&model.name);
        let reason = fallback.label();
        self.metrics.count(&FALLBACKS, &["reflector", reason]);
        // Of a model that was asked, the log has said once why it does not answer.
        if fallback.was_asked() || matches!(fallback, Fallback::CircuitOpen { .. }) {
            tracing::debug!(trace_id = %job.trace_id, model = model.name, reason, "rules stand in for a model's lesson");
        } else {
            tracing::warn!(trace_id = %job.trace_id, model = model.name, reason, "rules stand in for a model's lesson");
        }
        let warning = stand_in_warning(&model.name, &self.why(model, fallback));
        let store = |insert| {
            let (outcome, follow_up, warning) = (review.result, follow_up.clone(), warning.clone());
            let stand_in = StandIn { outcome, lesson: insert, follow_up, warning };
            self.store.complete_with_stand_in(job.clone(), stand_in, self.now())
        };
        let follow_up_job = self.store_embedded(assignment, &written, store).await?;
        if follow_up_job.is_some() {
            self.metrics.count(&STAND_INS, &["stored"]);
        }
        Ok(follow_up_job)
    }

    /// Why a model wrote no lesson. One that is left alone is so for what it said last.
    fn why(&self, model: &Model, fallback: &Fallback) -> String {
        match (fallback, model.breaker.trouble()) {
            (Fallback::CircuitOpen { .. }, Some(trouble)) => format!("{fallback}: {}", trouble.said),
            _ => fallback.to_string(),
        }
    }

    fn ask_again_at(&self, fallback: &Fallback) -> Timestamp {
        match fallback {
            Fallback::CircuitOpen { until } | Fallback::SpendLimit { until } => self.spread(*until),
            Fallback::NoTimeLeft => self.now(),
            _ => self.retry_at(FOLLOW_UPS, 1),
        }
    }

    /// How long a model may take before rules have to stand in: the sender of the review waits that long and no longer.
    fn time_left(&self, review: &Review, now: Timestamp) -> Duration {
        let waited = Duration::from_millis(now.millis_since(review.created_at));
        let deadline = self.settings.review_deadline;
        deadline.saturating_sub(deadline / KEPT_OF_DEADLINE + waited).min(self.settings.attempt_timeout)
    }
}

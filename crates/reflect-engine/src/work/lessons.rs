//! Lessons by models: asked in time, stood in for by rules where they are not there in time, replaced when they come.
//!
//! Learning never waits for an outage. Whatever keeps the model from answering before the sender of a review loses patience,
//! the rules' lesson is stored at once, marked as standing in, and the job goes on as a follow-up.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use reflect_core::{MemoryId, Review, Timestamp, Trace};
use reflect_store::{ClaimedJob, FollowUp, JobInput, Lease, ShownTo};
use reflection::{ReflectError, ReviewedRun, ShownLesson, WrittenLesson};

use super::worker::{AttemptError, Attempted, LEASE_MARGIN_MILLIS};
use crate::{
    Engine,
    metrics::{FALLBACKS, JOBS, STAND_INS},
    models::{CallPermit, Model},
};

/// How much of the time that the sender of a review waits is kept for storing the lesson and answering: 5 of 30 seconds.
const KEPT_OF_DEADLINE: u32 = 6;

/// With less than this part of it left it is not worth asking a model at all: 1 of 30 seconds.
const SHORTEST_TRY: u32 = 30;

/// How long after a stand-in the model is asked again; each further try waits twice as long.
const FIRST_FOLLOW_UP_MILLIS: i64 = 15_000;

/// The longest pause between two tries.
const LONGEST_FOLLOW_UP_MILLIS: i64 = 3_600_000;

/// How many lessons that a run was shown are shown to the model.
const MAX_SHOWN: usize = 20;

/// Why a model did not write a lesson.
pub(crate) enum NoLesson {
    /// It did not answer at all.
    Out(String),
    /// It answered, and nothing that can be used.
    Unusable(String),
    /// It was not asked, or refused.
    Failed(String),
    Panicked,
}

/// Which question the answer to is late or useless.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    First,
    Again,
}

impl Engine {
    /// Works the job of a lesson by asking a model.
    pub(crate) async fn attempt_by_model(
        &self,
        job: &ClaimedJob,
        input: &JobInput,
        review: &Review,
        model: &Arc<Model>,
    ) -> Result<Attempted, AttemptError> {
        let now = self.now();
        let time_left = self.time_left(review, now);
        let why_not = if let Some(until) = model.breaker.open_until(now) {
            Some(self.left_alone(until))
        } else if let Some(until) = self.spending.spent_until().await {
            Some(("budget", FollowUp::At(self.spread(until), "the daily spend limit is reached".to_owned())))
        } else if time_left < self.settings.review_deadline / SHORTEST_TRY {
            Some(("deadline", FollowUp::At(now, "the lesson was due before the model could be asked".to_owned())))
        } else {
            None
        };
        if let Some(why_not) = why_not {
            return self.stand_in(job, input, review, model, why_not).await.map(|_| Attempted::Done);
        }
        let Ok(place) = self.model_work.try_acquire() else {
            let crowded = ("crowded", self.asked_later("too many lessons waited for a model already".to_owned()));
            return self.stand_in(job, input, review, model, crowded).await.map(|_| Attempted::Done);
        };
        let permit = match model.breaker.admit(self.now()) {
            Ok(permit) => permit,
            Err(until) => {
                let left_alone = self.left_alone(until);
                return self.stand_in(job, input, review, model, left_alone).await.map(|_| Attempted::Done);
            }
        };
        let run = self.run_with_lessons(job, input, review).await;
        let mut writing = Box::pin(ask(model, &run));
        match tokio::time::timeout(time_left, &mut writing).await {
            Ok(Ok(written)) => {
                permit.answered();
                self.store_written(job, input, review.result, written).await.map(|()| Attempted::Done)
            }
            Ok(Err(error)) => {
                let (reason, why) = self.note_no_lesson(permit, error);
                let later = self.asked_later(why);
                self.stand_in(job, input, review, model, (reason, later)).await.map(|_| Attempted::Done)
            }
            Err(_) => {
                // From here on it is a follow-up like any other, and takes one of their places or none.
                let Ok(_place) = self.follow_ups.try_acquire() else {
                    drop(writing);
                    let later = self.asked_later("the model took long, and other follow-ups come first".to_owned());
                    return self
                        .stand_in(job, input, review, model, ("deadline", later))
                        .await
                        .map(|_| Attempted::Done);
                };
                drop(place);
                let lease = Lease { owner: job.lease.owner, until: self.lease_end() };
                let going_on =
                    self.stand_in(job, input, review, model, ("deadline", FollowUp::Continue(lease))).await?;
                let Some(going_on) = going_on else { return Ok(Attempted::Done) };
                // Whoever waits for this lesson has one now.
                self.finished.tell(job.trace_id);
                let written = tokio::time::timeout(self.settings.attempt_timeout, writing).await;
                let written = written.unwrap_or_else(|_| Err(too_late()));
                let ended = self.end_follow_up(&going_on, review.result, permit, (Asked::First, written)).await?;
                self.metrics.count(&JOBS, &[going_on.kind.as_str(), ended.name()]);
                Ok(Attempted::Done)
            }
        }
    }

    /// Stores the rules' lesson and turns the job into a follow-up; answers the claim on it, if the job still stood.
    async fn stand_in(
        &self,
        job: &ClaimedJob,
        input: &JobInput,
        review: &Review,
        model: &Model,
        (reason, follow_up): (&str, FollowUp),
    ) -> Result<Option<ClaimedJob>, AttemptError> {
        let mut written = self.reflect(input, review).await?;
        written.written_by = written.written_by.standing_in_for(&model.name);
        self.metrics.count(&FALLBACKS, &["reflector", reason]);
        tracing::warn!(trace_id = %job.trace_id, model = model.name, reason, "rules stand in for a model's lesson");
        let store = |insert| {
            self.store.complete_with_stand_in(job.clone(), review.result, insert, follow_up.clone(), self.now())
        };
        let going_on = self.store_drawn(job, input, &written, store).await?;
        if going_on.is_some() {
            self.metrics.count(&STAND_INS, &["stored"]);
        }
        Ok(going_on)
    }

    pub(crate) fn note_no_lesson(&self, permit: CallPermit<'_>, error: NoLesson) -> (&'static str, String) {
        match error {
            NoLesson::Out(why) => {
                permit.failed(self.now());
                ("error", why)
            }
            NoLesson::Unusable(why) => {
                permit.answered();
                ("unusable", why)
            }
            NoLesson::Failed(why) => ("error", why),
            NoLesson::Panicked => ("panic", "the reflector panicked".to_owned()),
        }
    }

    fn left_alone(&self, until: Timestamp) -> (&'static str, FollowUp) {
        ("outage", FollowUp::At(self.spread(until), "the model has not answered lately".to_owned()))
    }

    fn asked_later(&self, why: String) -> FollowUp {
        FollowUp::At(self.now().plus_millis(self.follow_up_pause_millis(1)), why)
    }

    /// How long a model may take before a stand-in has to do: the sender of the review waits that long and no longer.
    fn time_left(&self, review: &Review, now: Timestamp) -> Duration {
        let waited = Duration::from_millis(now.millis_since(review.created_at));
        let deadline = self.settings.review_deadline;
        deadline.saturating_sub(deadline / KEPT_OF_DEADLINE + waited).min(self.settings.attempt_timeout)
    }

    /// When a claim that begins now ends.
    pub(crate) fn lease_end(&self) -> Timestamp {
        let timeout = i64::try_from(self.settings.attempt_timeout.as_millis()).unwrap_or(i64::MAX);
        self.now().plus_millis(timeout.saturating_add(LEASE_MARGIN_MILLIS))
    }

    pub(crate) fn follow_up_pause_millis(&self, attempt: u32) -> i64 {
        let doubled = FIRST_FOLLOW_UP_MILLIS << attempt.saturating_sub(1).min(16);
        self.jittered(doubled.min(LONGEST_FOLLOW_UP_MILLIS))
    }

    /// A time up to a minute after `at`, so that those who wait for the same event do not all come at once.
    pub(crate) fn spread(&self, at: Timestamp) -> Timestamp {
        at.plus_millis(self.jittered(60_000) - 30_000)
    }

    /// The run, with the lessons that it was shown, in the words that it was shown them.
    pub(crate) async fn run_with_lessons(&self, job: &ClaimedJob, input: &JobInput, review: &Review) -> ReviewedRun {
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

/// Asks the model and lives through its reflector's panics.
pub(crate) async fn ask(model: &Model, run: &ReviewedRun) -> Result<WrittenLesson, NoLesson> {
    match AssertUnwindSafe(model.reflector.reflect_run(run)).catch_unwind().await {
        Ok(Ok(written)) => Ok(written),
        Ok(Err(error)) if error.is_outage() => Err(NoLesson::Out(error.to_string())),
        Ok(Err(error @ ReflectError::Unusable(_))) => Err(NoLesson::Unusable(error.to_string())),
        Ok(Err(error)) => Err(NoLesson::Failed(error.to_string())),
        Err(_) => Err(NoLesson::Panicked),
    }
}

pub(crate) fn too_late() -> NoLesson {
    NoLesson::Out("the model took too long".to_owned())
}

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

//! Reviews of stored traces.

use reflect_core::{IngestStatus, NewReview, ReviewMode, Scope, Trace, TraceId};
use reflect_store::{IdempotencyKey, Reviewed, TakeBackAnswer, TraceReview, TraceView, WaitedFor, waiting_for};

use crate::{Asker, Changed, Engine, EngineError, EngineResult, StoreError};

/// A review of a stored trace.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateReview {
    /// The run that it judges.
    pub trace_id: TraceId,
    /// What it says.
    pub review: NewReview,
    /// What makes the request one and the same.
    pub idempotency: Option<IdempotencyKey>,
}

impl Engine {
    /// Reviews a trace and waits for its lesson, up to the deadline: then the trace is answered as it is, still queued.
    /// The review stands either way, and whether the caller goes away in the meantime makes no difference to it.
    pub async fn review_trace(&self, asker: Asker<'_>, create: CreateReview) -> EngineResult<Trace> {
        let CreateReview { trace_id, review, idempotency } = create;
        let review = NewReview { source: asker.caller.source_of(&review), ..review };
        self.admit(asker, Scope::TraceWrite)?;
        let project = self.open_project(asker).await?;
        let task = match review.reflection {
            Some(_) => self.get_trace(asker, trace_id).await?.task,
            None => String::new(),
        };
        let written = review.reflection.clone();
        let insert = self.review_insert(asker.caller, &project, review, ReviewMode::Deferred);
        let answer = loop {
            let lesson = match written.clone() {
                Some(written) => Some(self.lesson_insert(asker.project_id, &task, written).await?),
                None => None,
            };
            let review = TraceReview { trace_id, review: insert.clone(), lesson };
            let (now, idempotency) = (self.now(), idempotency.clone());
            match self.store.insert_review(asker.project_id.clone(), review, now, idempotency).await {
                Err(StoreError::OtherEmbedder(_)) => self.coordination.forget_projects(),
                answer => break answer?,
            }
        };
        match answer {
            Reviewed::Accepted | Reviewed::Repeated => {}
            Reviewed::AlreadyReviewed => return Err(EngineError::AlreadyReviewed(trace_id)),
            Reviewed::InProgress => return Err(EngineError::ReviewInProgress(trace_id)),
            Reviewed::NoTrace => return Err(EngineError::no_trace(trace_id)),
            Reviewed::KeyReused => return Err(EngineError::IdempotencyKeyReused),
        }
        self.coordination.wake_worker();
        self.coordination.note_change(asker.project_id, Changed::LEARNING);
        self.wait_for_trace(asker, trace_id).await
    }

    /// Takes a review back: everything ends as if it had never been.
    pub async fn take_back_review(&self, asker: Asker<'_>, trace_id: TraceId) -> EngineResult<Trace> {
        self.admit(asker, Scope::TraceWrite)?;
        match self.store.take_back_review(asker.project_id.clone(), trace_id, self.now()).await? {
            TakeBackAnswer::TakenBack => {
                self.coordination.notify_finished(trace_id);
                self.coordination.note_change(asker.project_id, Changed::LEARNING);
            }
            TakeBackAnswer::NoTrace => return Err(EngineError::no_trace(trace_id)),
            TakeBackAnswer::NoReview => {
                return Err(EngineError::NotFound(format!("trace `{trace_id}` has no review")));
            }
        }
        self.get_trace(asker, trace_id).await
    }

    /// Whether the lesson of a trace is still to be written. Whatever stands in the way of telling, who reads the trace will hear.
    async fn is_working(&self, asker: Asker<'_>, trace_id: TraceId) -> EngineResult<bool> {
        self.admit(asker, Scope::TraceRead)?;
        let found = self.store.get_traces(asker.project_id.clone(), vec![trace_id], TraceView::Summary).await?;
        let statuses = [IngestStatus::Queued, IngestStatus::Processing];
        Ok(found.first().is_some_and(|trace| statuses.contains(&trace.ingest_status)))
    }

    async fn wait_for_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> EngineResult<Trace> {
        let deadline = tokio::time::Instant::now() + self.settings.review_deadline;
        loop {
            // Registered before the look, so that an end between look and wait is not missed; anew each time round, since
            // a notification ends the listening.
            let listening = self.coordination.listen(trace_id);
            let finished = listening.notified();
            tokio::pin!(finished);
            finished.as_mut().enable();
            // Without what makes it large: many may wait, for long.
            let working = self.is_working(asker, trace_id).await.unwrap_or(false);
            let until = self.coordination.look_again(deadline);
            let finished = waiting_for(WaitedFor::Lesson, tokio::time::timeout_at(until, finished));
            if !working || (finished.await.is_err() && until == deadline) {
                return match self.get_trace(asker, trace_id).await {
                    Err(EngineError::BeingErased { .. }) => Err(EngineError::no_trace(trace_id)),
                    trace => trace,
                };
            }
        }
    }
}

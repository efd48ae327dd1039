//! Reviews of many stored traces at once. Nobody waits for their lessons.

use std::collections::HashMap;

use futures_util::{StreamExt, stream};
use reflect_core::{NewReview, Project, ReviewMode, Scope, TraceId};
use reflect_store::{BulkOutcome, IdempotencyKey, Once, ReviewInsert, TraceReview, TraceView};

use crate::{Asker, Caller, Changed, Engine, EngineError, EngineResult, StoreError};

/// How many lessons are embedded at once: enough to fill an embedder's batches, few enough that the last does not run out of
/// time while it waits for the first.
const EMBEDDED_AT_ONCE: usize = 16;

/// One review among many.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkReview {
    /// The run that it judges.
    pub trace_id: TraceId,
    /// What it says.
    pub review: NewReview,
}

impl Engine {
    /// Reviews traces in this order, each by itself, and answers an outcome for each. What was found wrong with one before
    /// comes as its outcome in its position. Utilities have moved when this answers; lessons that came along are
    /// stored, and the others are queued behind those that someone waits for.
    pub async fn review_traces(
        &self,
        asker: Asker<'_>,
        reviews: Vec<Result<BulkReview, BulkOutcome>>,
        idempotency: Option<IdempotencyKey>,
    ) -> EngineResult<Vec<BulkOutcome>> {
        self.admit(asker, Scope::TraceWrite)?;
        let mut reviews = reviews;
        reviews.iter_mut().flatten().for_each(|review| review.review.source = asker.caller.source_of(&review.review));
        if reviews.iter().flatten().any(|review| review.review.reflection.is_none()) {
            self.refuse_when_backlogged(asker.project_id, idempotency.as_ref()).await?;
        }
        // A project that gets another embedder in this very moment gets vectors of that.
        loop {
            let project = self.open_project(asker).await?;
            let inserts = self.trace_reviews(asker.caller, &project, reviews.clone()).await?;
            match self.store.insert_reviews(asker.project_id.clone(), inserts, self.now(), idempotency.clone()).await {
                Ok(Once::First(outcomes) | Once::Again(outcomes)) => {
                    self.coordination.wake_worker();
                    self.coordination.note_change(asker.project_id, Changed::LEARNING);
                    return Ok(outcomes);
                }
                Ok(Once::KeyReused) => return Err(EngineError::IdempotencyKeyReused),
                Err(StoreError::OtherEmbedder(_)) => self.coordination.forget_projects(),
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn trace_reviews(
        &self,
        caller: &Caller,
        project: &Project,
        reviews: Vec<Result<BulkReview, BulkOutcome>>,
    ) -> EngineResult<Vec<Result<TraceReview, BulkOutcome>>> {
        let with_lesson = reviews.iter().flatten().filter(|review| review.review.reflection.is_some());
        let trace_ids: Vec<TraceId> = with_lesson.map(|review| review.trace_id).collect();
        let traces = self.store.get_traces(project.id.clone(), trace_ids, TraceView::Summary).await?;
        let tasks: HashMap<TraceId, String> = traces.into_iter().map(|trace| (trace.id, trace.task)).collect();
        let insert = |review| self.trace_review(caller, project, &tasks, review);
        let inserts: Vec<_> = reviews.into_iter().map(insert).collect();
        Ok(stream::iter(inserts).buffered(EMBEDDED_AT_ONCE).collect().await)
    }

    async fn trace_review(
        &self,
        caller: &Caller,
        project: &Project,
        tasks: &HashMap<TraceId, String>,
        review: Result<BulkReview, BulkOutcome>,
    ) -> Result<TraceReview, BulkOutcome> {
        let BulkReview { trace_id, review } = review?;
        let lesson = match review.reflection.clone() {
            Some(written) => {
                let task = tasks.get(&trace_id).ok_or(BulkOutcome::NoTrace)?;
                let insert = self.lesson_insert(&project.id, task, written).await;
                Some(insert.map_err(|error| BulkOutcome::NotEmbedded(error.to_string()))?)
            }
            None => None,
        };
        let review = self.review_insert(caller, project, review, ReviewMode::Deferred);
        Ok(TraceReview { trace_id, review: ReviewInsert { awaited: false, ..review }, lesson })
    }
}

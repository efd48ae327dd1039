//! Traces: handing one in, reading, listing, deleting, trying again.

use reflect_core::{
    MemoryId, NewReview, NewTrace, Project, ProjectId, ReviewId, ReviewMode, Scope, Trace, TraceId, WrittenLesson,
};
use reflect_store::{
    IdempotencyKey, LessonInsert, Once, ReviewInsert, Submission, TraceFilter, TraceInsert, TracePage, TraceView,
};

use crate::{Asker, Caller, Changed, Engine, EngineError, EngineResult, StoreError};

/// A trace to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTrace {
    /// The run.
    pub trace: NewTrace,
    /// What makes the request one and the same.
    pub idempotency: Option<IdempotencyKey>,
}

impl Engine {
    /// Stores a run. With a review, utilities have moved when this answers; the lesson follows, or is stored at once if
    /// the review brought it along.
    pub async fn create_trace(&self, asker: Asker<'_>, create: CreateTrace) -> EngineResult<Submission> {
        self.admit(asker, Scope::TraceWrite)?;
        let needs_lesson = create.trace.review.as_ref().is_some_and(|review| review.reflection.is_none());
        if needs_lesson {
            self.refuse_when_backlogged(asker.project_id, create.idempotency.as_ref()).await?;
        }
        let reservation = self.reserve_trace(asker.project_id, create.idempotency.as_ref()).await?;
        // A project that is deleted in this very moment is made again, as on any first use; one that gets another embedder
        // gets vectors of that.
        for _ in 0..3 {
            let project = self.open_project(asker).await?;
            let insert = self.trace_insert(asker.caller, &project, create.clone()).await?;
            let stored = self.store.insert_trace(asker.project_id.clone(), insert).await;
            if let Ok(Some(Once::First(submission))) = &stored {
                self.note_forgotten_memory_ids(asker, submission);
            }
            let is_new = matches!(stored, Ok(Some(Once::First(_))));
            match stored {
                Ok(Some(Once::First(submission) | Once::Again(submission))) => {
                    if let Some(reservation) = reservation.filter(|_| is_new) {
                        reservation.keep();
                    }
                    self.coordination.wake_worker();
                    let changed = if create.trace.review.is_some() { Changed::LEARNING } else { Changed::TRACES };
                    self.coordination.note_change(asker.project_id, changed);
                    return Ok(submission);
                }
                Ok(Some(Once::KeyReused)) => return Err(EngineError::IdempotencyKeyReused),
                Ok(None) | Err(StoreError::OtherEmbedder(_)) => self.coordination.forget_projects(),
                Err(error) => return Err(error.into()),
            }
        }
        Err(EngineError::no_project(asker.project_id))
    }

    /// One trace with its trajectory.
    pub async fn get_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> EngineResult<Trace> {
        self.admit(asker, Scope::TraceRead)?;
        let trace = self.store.get_trace(asker.project_id.clone(), trace_id).await?;
        trace.ok_or_else(|| EngineError::no_trace(trace_id))
    }

    /// The ids of a page of traces, newest first. A search that takes too long is given up.
    pub async fn list_trace_ids(
        &self,
        asker: Asker<'_>,
        filter: TraceFilter,
        page: TracePage,
    ) -> EngineResult<Vec<TraceId>> {
        self.admit(asker, Scope::TraceRead)?;
        self.open_project(asker).await?;
        let patience = self.settings.search_timeout;
        let found = self.store.list_trace_ids(asker.project_id.clone(), filter, page, patience).await;
        found.map_err(|error| self.search_error(error))
    }

    /// What is said of a search that was given up or never had its turn.
    pub(crate) fn search_error(&self, error: StoreError) -> EngineError {
        let seconds = self.settings.search_timeout.as_secs();
        match error {
            StoreError::Interrupted => EngineError::SearchTooBroad { seconds },
            StoreError::SearchesBusy => EngineError::SearchesBusy { retry_after_seconds: seconds.max(1) },
            error => error.into(),
        }
    }

    /// The traces with these ids, in their order; those that are gone are passed over.
    pub async fn get_traces(
        &self,
        asker: Asker<'_>,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> EngineResult<Vec<Trace>> {
        self.admit(asker, Scope::TraceRead)?;
        Ok(self.store.get_traces(asker.project_id.clone(), trace_ids, view).await?)
    }

    /// How many bytes each of these traces has, in their order. They are not read for it. Zero if it is gone, or if the asker may
    /// not read traces: the call that follows refuses that, and names the scope that it needs.
    pub async fn measure_traces(
        &self,
        asker: Asker<'_>,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> EngineResult<Vec<usize>> {
        if self.admit(asker, Scope::TraceRead).is_err() {
            return Ok(vec![0; trace_ids.len()]);
        }
        Ok(self.store.measure_traces(asker.project_id.clone(), trace_ids, view).await?)
    }

    /// Erases traces and answers those that were there. What they taught stays, unless `cascade` is set.
    pub async fn delete_traces(
        &self,
        asker: Asker<'_>,
        trace_ids: Vec<TraceId>,
        cascade: bool,
    ) -> EngineResult<Vec<TraceId>> {
        self.admit(asker, Scope::TraceWrite)?;
        let deleted = self.store.delete_traces(asker.project_id.clone(), trace_ids, cascade, self.now()).await?;
        deleted.iter().for_each(|trace_id| self.coordination.notify_finished(*trace_id));
        self.coordination.note_change(asker.project_id, Changed::LEARNING);
        Ok(deleted)
    }

    /// Works a failed trace again.
    pub async fn retry_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> EngineResult<Trace> {
        self.admit(asker, Scope::TraceWrite)?;
        let queued = self.store.retry_job(asker.project_id.clone(), trace_id, self.now()).await?;
        let trace = self.get_trace(asker, trace_id).await?;
        if !queued {
            return Err(EngineError::NotFailed(trace_id));
        }
        self.coordination.wake_worker();
        self.coordination.note_change(asker.project_id, Changed::LEARNING);
        Ok(trace)
    }

    pub(crate) fn review_insert(
        &self,
        caller: &Caller,
        project: &Project,
        review: NewReview,
        mode: ReviewMode,
    ) -> ReviewInsert {
        ReviewInsert {
            id: ReviewId::mint(self.now(), &*self.entropy),
            review,
            mode,
            awaited: mode == ReviewMode::Deferred,
            default_alpha: project.settings.alpha.unwrap_or(self.settings.alpha),
            reporter: caller.reporter(),
        }
    }

    /// A lesson with its vectors, ready to be stored. Should the project have another embedder by then, the store refuses
    /// it, and it has to be made again.
    pub(crate) async fn lesson_insert(
        &self,
        project_id: &ProjectId,
        task: &str,
        written: WrittenLesson,
    ) -> EngineResult<LessonInsert> {
        let project = self.find_project(project_id).await?.ok_or_else(|| EngineError::no_project(project_id))?;
        let vectors = self.embed_lesson(&project, task, &written.lesson).await?;
        Ok(LessonInsert { memory_id: MemoryId::mint(self.now(), &*self.entropy), written, vectors })
    }

    /// A lesson for a memory that is there. It was paid for, or somebody typed it: if it cannot be embedded now, its vectors are made later.
    pub(crate) async fn revised_lesson(
        &self,
        project_id: &ProjectId,
        task: &str,
        written: WrittenLesson,
    ) -> LessonInsert {
        match self.lesson_insert(project_id, task, written.clone()).await {
            Ok(insert) => insert,
            Err(error) => {
                tracing::warn!(project = %project_id, %error, "a new revision has no vector yet; it is made in the background");
                let memory_id = MemoryId::mint(self.now(), &*self.entropy);
                LessonInsert { memory_id, written, vectors: Vec::new() }
            }
        }
    }

    async fn trace_insert(&self, caller: &Caller, project: &Project, create: CreateTrace) -> EngineResult<TraceInsert> {
        let now = self.now();
        let trace = create.trace;
        let review = trace.review.clone().map(|review| {
            let review = NewReview { source: caller.source_of(&review), ..review };
            self.review_insert(caller, project, review, ReviewMode::Inline)
        });
        let lesson = match trace.review.as_ref().and_then(|review| review.reflection.clone()) {
            Some(written) => Some(self.lesson_insert(&project.id, &trace.task, written).await?),
            None => None,
        };
        let id = TraceId::mint(now, &*self.entropy);
        Ok(TraceInsert { id, key_id: caller.key_id, trace, review, lesson, now, idempotency: create.idempotency })
    }

    /// Turns away what would only make the queue of lessons longer. A request that was acknowledged before would not: its
    /// sender is owed the first answer.
    pub(crate) async fn refuse_when_backlogged(
        &self,
        project_id: &ProjectId,
        idempotency: Option<&IdempotencyKey>,
    ) -> EngineResult<()> {
        let waiting_millis = self.coordination.backlog_millis();
        let allowed_millis = u64::try_from(self.settings.queue_max_age.as_millis()).unwrap_or(u64::MAX);
        if waiting_millis <= allowed_millis {
            return Ok(());
        }
        if let Some(IdempotencyKey { key, .. }) = idempotency
            && self.store.knows_idempotency_key(project_id.clone(), key.clone()).await?
        {
            return Ok(());
        }
        let over_seconds = (waiting_millis - allowed_millis) / 1_000;
        Err(EngineError::Backlogged {
            waiting_seconds: waiting_millis / 1_000,
            retry_after_seconds: over_seconds.clamp(1, 60),
        })
    }
}

//! Traces and their reviews.

use reflect_api::{
    CreateTraceRequest, DeleteTracesAnswer, DeleteTracesRequest, ErrorCode, ListTracesRequest, ReviewRequest,
    SubmissionAnswer, TraceAnswer,
};
use reflect_core::{MemoryId, TraceId};
use reflect_engine::{CreateReview, CreateTrace, IdempotencyKey, TraceFilter, TracePage, TraceView};

use crate::{
    Asker, Page, Refusal, Service, ServiceResult,
    paging::{page_limit, parse_cursor},
};

impl Service {
    /// Records a run.
    pub async fn create_trace(
        &self,
        asker: Asker<'_>,
        request: CreateTraceRequest,
        idempotency: Option<IdempotencyKey>,
    ) -> ServiceResult<SubmissionAnswer> {
        let create = CreateTrace { trace: request.check(&self.limits)?, idempotency };
        let submission = self.engine.create_trace(asker, create).await?;
        Ok(SubmissionAnswer {
            trace_id: submission.trace_id.as_uuid(),
            ingest_status: submission.ingest_status,
            warnings: submission.warnings,
        })
    }

    /// One trace.
    pub async fn get_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> ServiceResult<TraceAnswer> {
        Ok(self.engine.get_trace(asker, trace_id).await?.into())
    }

    /// The ids of a page of traces, newest first; without a `limit`, as many as a list may have.
    pub async fn list_trace_ids(&self, asker: Asker<'_>, request: &ListTracesRequest) -> ServiceResult<Page<TraceId>> {
        request.check()?;
        let before = parse_cursor(request.cursor.as_ref())?;
        let limit = page_limit(request.limit)?.unwrap_or(self.limits.unpaged_list);
        let page = TracePage { before, limit: limit + 1 };
        let trace_ids = self.engine.list_trace_ids(asker, filter(request), page).await?;
        Ok(Page::cut(trace_ids, limit, TraceId::to_string))
    }

    /// The traces with these ids, in their order; those that are gone are passed over.
    pub async fn get_traces(
        &self,
        asker: Asker<'_>,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> ServiceResult<Vec<TraceAnswer>> {
        let traces = self.engine.get_traces(asker, trace_ids, view).await?;
        Ok(traces.into_iter().map(Into::into).collect())
    }

    /// How many bytes the texts of a trace have. One that is not there has none.
    pub async fn measure_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> ServiceResult<usize> {
        Ok(self.measure_traces(asker, vec![trace_id], TraceView::Whole).await?.into_iter().sum())
    }

    /// How many bytes the texts of these traces have, in their order. They are not read for it.
    pub async fn measure_traces(
        &self,
        asker: Asker<'_>,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> ServiceResult<Vec<usize>> {
        Ok(self.engine.measure_traces(asker, trace_ids, view).await?)
    }

    /// A page of traces, newest first.
    pub async fn list_traces(&self, asker: Asker<'_>, request: &ListTracesRequest) -> ServiceResult<Page<TraceAnswer>> {
        let view = trace_view(request)?;
        let Page { items, next_cursor } = self.list_trace_ids(asker, request).await?;
        Ok(Page { items: self.get_traces(asker, items, view).await?, next_cursor })
    }

    /// Reviews a trace and waits for its lesson, up to a deadline; past it the trace comes as it is, still queued.
    pub async fn review_trace(
        &self,
        asker: Asker<'_>,
        trace_id: TraceId,
        request: ReviewRequest,
        idempotency: Option<IdempotencyKey>,
    ) -> ServiceResult<TraceAnswer> {
        let review = request.check(&self.limits)?;
        let create = CreateReview { trace_id, review, idempotency };
        let trace = self.engine.review_trace(asker, create).await?;
        Ok(trace.into())
    }

    /// Takes a review back.
    pub async fn take_back_review(&self, asker: Asker<'_>, trace_id: TraceId) -> ServiceResult<TraceAnswer> {
        Ok(self.engine.take_back_review(asker, trace_id).await?.into())
    }

    /// Works a failed trace again.
    pub async fn retry_trace(&self, asker: Asker<'_>, trace_id: TraceId) -> ServiceResult<TraceAnswer> {
        Ok(self.engine.retry_trace(asker, trace_id).await?.into())
    }

    /// Erases traces.
    pub async fn delete_traces(
        &self,
        asker: Asker<'_>,
        request: DeleteTracesRequest,
    ) -> ServiceResult<DeleteTracesAnswer> {
        let trace_ids = request.check(&self.limits)?;
        let cascade = request.cascade.unwrap_or(false);
        Ok(self.engine.delete_traces(asker, trace_ids, cascade).await?.into())
    }
}

/// How much of each trace a list is to hold.
pub fn trace_view(request: &ListTracesRequest) -> ServiceResult<TraceView> {
    match request.view.as_deref() {
        None | Some("full") => Ok(TraceView::Whole),
        Some("summary") => Ok(TraceView::Summary),
        Some(other) => {
            let message = format!("`view` is `{other}`, it must be `full` or `summary`");
            Err(Refusal::new(ErrorCode::InvalidRequest, message).with_path("view"))
        }
    }
}

fn filter(request: &ListTracesRequest) -> TraceFilter {
    TraceFilter {
        review_status: request.review_status,
        ingest_status: request.ingest_status,
        result: request.result,
        model: request.model.clone(),
        since: request.since,
        until: request.until,
        text: request.text.clone(),
        memory_id: request.memory_id.map(MemoryId::from_uuid),
        metadata: request.metadata.iter().map(|filter| (filter.key.clone(), filter.value.clone())).collect(),
    }
}

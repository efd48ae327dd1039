//! `POST /v1/projects/{project_id}/traces/{trace_id}/review`.

use axum::{Json, http::StatusCode};
use reflect_api::{ReviewRequest, TraceAnswer};
use reflect_core::{IngestStatus, TraceId};

use crate::{
    body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader, parameters::InProject,
};

/// Reviews a trace and answers it once its lesson is stored. If that takes too long, the answer is 202 with the trace as
/// it is: the review counts, and the lesson follows.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/{trace_id}/review",
    tag = "traces",
    params(InProject<TraceId>, IdempotencyHeader),
    request_body = ReviewRequest,
    responses((status = 200, body = TraceAnswer), (status = 202, body = TraceAnswer), Refusals)
)]
pub(crate) async fn review_trace(
    asked: InProject<TraceId>,
    body: JsonBody<ReviewRequest>,
) -> ApiResult<(StatusCode, Json<TraceAnswer>)> {
    let trace = asked.service.review_trace(asked.asker(), asked.id, body.value, body.idempotency).await?;
    let status = match trace.ingest_status {
        IngestStatus::Queued | IngestStatus::Processing => StatusCode::ACCEPTED,
        IngestStatus::Completed | IngestStatus::Failed => StatusCode::OK,
    };
    Ok((status, Json(trace)))
}

//! `POST /v1/projects/{project_id}/traces/{trace_id}/retry`.

use axum::Json;
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Works a failed trace again, from its first attempt.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/{trace_id}/retry",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn retry_trace(asked: InProject<TraceId>) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(asked.service.retry_trace(asked.asker(), asked.id).await?))
}

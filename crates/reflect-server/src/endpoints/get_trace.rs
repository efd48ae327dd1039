//! `GET /v1/projects/{project_id}/traces/{trace_id}`.

use axum::Json;
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one trace.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/traces/{trace_id}",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn get_trace(asked: InProject<TraceId>) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(asked.service.get_trace(asked.asker(), asked.id).await?))
}

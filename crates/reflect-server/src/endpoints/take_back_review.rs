//! `DELETE /v1/projects/{project_id}/traces/{trace_id}/review`.

use axum::Json;
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Takes a review back: everything ends as if it had never been.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}/traces/{trace_id}/review",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn take_back_review(asked: InProject<TraceId>) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(asked.service.take_back_review(asked.asker(), asked.id).await?))
}

//! `POST /v1/projects/{project_id}/traces/{trace_id}/retry`.

use axum::{Json, extract::State};
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Works a failed trace again, from its first attempt.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/{trace_id}/retry",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn retry_trace(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<TraceId>,
) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(app.service.retry_trace(path.asked_by(&caller), path.id).await?))
}

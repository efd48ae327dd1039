//! `GET /v1/projects/{project_id}/traces/{trace_id}`.

use axum::{Json, extract::State};
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one trace.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/traces/{trace_id}",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn get_trace(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<TraceId>,
) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(app.service.get_trace(path.asked_by(&caller), path.id).await?))
}

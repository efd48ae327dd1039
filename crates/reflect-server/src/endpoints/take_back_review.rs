//! `DELETE /v1/projects/{project_id}/traces/{trace_id}/review`.

use axum::{Json, extract::State};
use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Takes a review back: everything ends as if it had never been.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}/traces/{trace_id}/review",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn take_back_review(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<TraceId>,
) -> ApiResult<Json<TraceAnswer>> {
    Ok(Json(app.service.take_back_review(path.asked_by(&caller), path.id).await?))
}

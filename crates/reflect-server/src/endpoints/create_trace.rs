//! `POST /v1/projects/{project_id}/traces`: record a run.

use axum::Json;
use reflect_api::{CreateTraceRequest, SubmissionAnswer};

use crate::{
    body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader, parameters::InProject,
};

/// Records a run. With a review, the memories that the run was shown have moved when this answers, and the lesson is
/// written in the background.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces",
    tag = "traces",
    params(InProject, IdempotencyHeader),
    request_body = CreateTraceRequest,
    responses((status = 200, body = SubmissionAnswer), Refusals)
)]
pub(crate) async fn create_trace(
    asked: InProject,
    body: JsonBody<CreateTraceRequest>,
) -> ApiResult<Json<SubmissionAnswer>> {
    let answer = asked.service.create_trace(asked.asker(), body.value, body.idempotency).await?;
    Ok(Json(answer))
}

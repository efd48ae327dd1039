//! `POST /v1/projects/{project_id}/traces`: record a run.

use axum::{Json, extract::State};
use reflect_api::{CreateTraceRequest, SubmissionAnswer};

use crate::{
    App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader,
    parameters::ProjectPath,
};

/// Records a run. With a review, the memories that the run was shown have moved when this answers, and the lesson is
/// written in the background.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces",
    tag = "traces",
    params(ProjectPath, IdempotencyHeader),
    request_body = CreateTraceRequest,
    responses((status = 200, body = SubmissionAnswer), Refusals)
)]
pub(crate) async fn create_trace(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
    body: JsonBody<CreateTraceRequest>,
) -> ApiResult<Json<SubmissionAnswer>> {
    let answer = app.service.create_trace(project.asked_by(&caller), body.value, body.idempotency).await?;
    Ok(Json(answer))
}

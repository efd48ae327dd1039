//! `POST /v1/projects/{project_id}/traces`: record a run.

use axum::{Json, extract::State};
use reflect_api::{CreateTraceRequest, SubmissionAnswer};
use reflect_engine::CreateTrace;

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
    ProjectPath(project_id): ProjectPath,
    body: JsonBody<CreateTraceRequest>,
) -> ApiResult<Json<SubmissionAnswer>> {
    let create = CreateTrace { trace: body.value.check(&app.limits)?, idempotency: body.idempotency };
    let submission = app.engine.create_trace(&caller, &project_id, create).await?;
    Ok(Json(SubmissionAnswer { trace_id: submission.trace_id.as_uuid(), ingest_status: submission.ingest_status }))
}

//! `POST /v1/projects/{project_id}/traces/delete`.

use axum::{Json, extract::State};
use reflect_api::{DeleteTracesAnswer, DeleteTracesRequest};

use crate::{App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Erases traces. What they taught stays, unless `cascade` is set.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/delete",
    tag = "traces",
    params(ProjectPath),
    request_body = DeleteTracesRequest,
    responses((status = 200, body = DeleteTracesAnswer), Refusals)
)]
pub(crate) async fn delete_traces(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
    body: JsonBody<DeleteTracesRequest>,
) -> ApiResult<Json<DeleteTracesAnswer>> {
    Ok(Json(app.service.delete_traces(project.asked_by(&caller), body.value).await?))
}

//! `DELETE /v1/projects/{project_id}`.

use axum::{Json, extract::State};
use reflect_api::DeletedProjectAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Deletes a project with everything in it. Its keys are revoked and its queued lessons cancelled.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}",
    tag = "projects",
    params(ProjectPath),
    responses((status = 200, body = DeletedProjectAnswer), Refusals)
)]
pub(crate) async fn delete_project(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<DeletedProjectAnswer>> {
    Ok(Json(app.service.delete_project(project.asked_by(&caller)).await?))
}

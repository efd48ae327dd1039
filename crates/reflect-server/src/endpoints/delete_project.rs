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
    ProjectPath(project_id): ProjectPath,
) -> ApiResult<Json<DeletedProjectAnswer>> {
    let deleted = app.engine.delete_project(&caller, &project_id).await?;
    Ok(Json(DeletedProjectAnswer {
        project_id: project_id.into(),
        traces: deleted.traces,
        memories: deleted.memories,
        reviews: deleted.reviews,
        api_keys: deleted.api_keys,
        jobs: deleted.jobs,
    }))
}

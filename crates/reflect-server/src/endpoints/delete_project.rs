//! `DELETE /v1/projects/{project_id}`.

use axum::Json;
use reflect_api::DeletedProjectAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Deletes a project with everything in it. Its keys are revoked and its queued lessons cancelled.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}",
    tag = "projects",
    params(InProject),
    responses((status = 200, body = DeletedProjectAnswer), Refusals)
)]
pub(crate) async fn delete_project(asked: InProject) -> ApiResult<Json<DeletedProjectAnswer>> {
    let changes = asked.changes.clone();
    Ok(Json(changes.make(async move { asked.service.delete_project(asked.asker()).await }).await??))
}

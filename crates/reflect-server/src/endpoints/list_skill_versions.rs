//! `GET /v1/projects/{project_id}/skill/versions`.

use axum::{Json, extract::State};
use reflect_api::SkillAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Answers the versions of the project's skill, newest first, the newest hundred at most.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/skill/versions",
    tag = "skill",
    params(ProjectPath),
    responses((status = 200, body = Vec<SkillAnswer>), Refusals)
)]
pub(crate) async fn list_skill_versions(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<Vec<SkillAnswer>>> {
    Ok(Json(app.service.list_skill_versions(project.asked_by(&caller)).await?))
}

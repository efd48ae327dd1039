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
    ProjectPath(project_id): ProjectPath,
) -> ApiResult<Json<Vec<SkillAnswer>>> {
    let skills = app.engine.list_skills(&caller, &project_id).await?;
    Ok(Json(skills.into_iter().map(Into::into).collect()))
}

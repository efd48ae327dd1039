//! `GET /v1/projects/{project_id}/skill`.

use axum::{Json, extract::State};
use reflect_api::SkillAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Answers the newest version of the project's skill; 404 while there is none.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/skill",
    tag = "skill",
    params(ProjectPath),
    responses((status = 200, body = SkillAnswer), Refusals)
)]
pub(crate) async fn get_skill(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(app.service.get_skill(project.asked_by(&caller)).await?))
}

//! `GET /v1/projects/{project_id}/skill/versions/{version}`.

use axum::{Json, extract::State};
use reflect_api::SkillAnswer;

use crate::{
    App,
    auth::Authenticated,
    error::ApiResult,
    openapi::Refusals,
    parameters::{InProject, SkillVersion},
};

/// Answers one version of the project's skill.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/skill/versions/{version}",
    tag = "skill",
    params(InProject<SkillVersion>),
    responses((status = 200, body = SkillAnswer), Refusals)
)]
pub(crate) async fn get_skill_version(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<SkillVersion>,
) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(app.service.get_skill_version(path.asked_by(&caller), path.id.0).await?))
}

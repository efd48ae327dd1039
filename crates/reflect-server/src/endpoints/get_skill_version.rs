//! `GET /v1/projects/{project_id}/skill/versions/{version}`.

use axum::Json;
use reflect_api::SkillAnswer;

use crate::{
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
pub(crate) async fn get_skill_version(asked: InProject<SkillVersion>) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(asked.service.get_skill_version(asked.asker(), asked.id.0).await?))
}

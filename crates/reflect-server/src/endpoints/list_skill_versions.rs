//! `GET /v1/projects/{project_id}/skill/versions`.

use axum::Json;
use reflect_api::SkillAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers the versions of the project's skill, newest first, the newest hundred at most.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/skill/versions",
    tag = "skill",
    params(InProject),
    responses((status = 200, body = Vec<SkillAnswer>), Refusals)
)]
pub(crate) async fn list_skill_versions(asked: InProject) -> ApiResult<Json<Vec<SkillAnswer>>> {
    Ok(Json(asked.service.list_skill_versions(asked.asker()).await?))
}

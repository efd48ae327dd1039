//! `GET /v1/projects/{project_id}/skill`.

use axum::Json;
use reflect_api::SkillAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers the newest version of the project's skill; 404 while there is none.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/skill",
    tag = "skill",
    params(InProject),
    responses((status = 200, body = SkillAnswer), Refusals)
)]
pub(crate) async fn get_skill(asked: InProject) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(asked.service.get_skill(asked.asker()).await?))
}

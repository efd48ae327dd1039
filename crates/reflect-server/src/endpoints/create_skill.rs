//! `POST /v1/projects/{project_id}/skill/create`.

use axum::Json;
use reflect_api::{CreateSkillRequest, SkillAnswer};

use crate::{
    body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader, parameters::InProject,
};

/// Composes the project's skill from its best lessons, as a new version that keeps what still holds. 409 while the project
/// has fewer than five reviewed memories.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/skill/create",
    tag = "skill",
    params(InProject, IdempotencyHeader),
    request_body = CreateSkillRequest,
    responses((status = 200, body = SkillAnswer), Refusals)
)]
pub(crate) async fn create_skill(asked: InProject, body: JsonBody<CreateSkillRequest>) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(asked.service.create_skill(asked.asker(), body.value, body.idempotency).await?))
}

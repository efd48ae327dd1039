//! `POST /v1/projects/{project_id}/skill/create`.

use axum::{Json, extract::State};
use reflect_api::{CreateSkillRequest, SkillAnswer};

use crate::{App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Composes the project's skill from its best lessons, as a new version that keeps what still holds. 409 while the project
/// has fewer than five reviewed memories.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/skill/create",
    tag = "skill",
    params(ProjectPath),
    request_body = CreateSkillRequest,
    responses((status = 200, body = SkillAnswer), Refusals)
)]
pub(crate) async fn create_skill(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
    body: JsonBody<CreateSkillRequest>,
) -> ApiResult<Json<SkillAnswer>> {
    Ok(Json(app.service.create_skill(project.asked_by(&caller), body.value).await?))
}

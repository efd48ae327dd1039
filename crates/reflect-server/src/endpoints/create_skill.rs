//! `POST /v1/projects/{project_id}/skill/create`.

use axum::{Json, extract::State};
use reflect_api::{CreateSkillRequest, SkillAnswer};
use reflect_engine::CreateSkill;

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
    ProjectPath(project_id): ProjectPath,
    body: JsonBody<CreateSkillRequest>,
) -> ApiResult<Json<SkillAnswer>> {
    let (n_passed, n_failed) = body.value.check()?;
    let skill = app.engine.create_skill(&caller, &project_id, CreateSkill { n_passed, n_failed }).await?;
    Ok(Json(skill.into()))
}

//! `PATCH /v1/projects/{project_id}/settings`.

use axum::{Json, extract::State};
use reflect_api::{SettingsAnswer, SettingsRequest};

use crate::{App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Changes a project's own defaults. What is absent stays; null follows the server again.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project_id}/settings",
    tag = "projects",
    params(ProjectPath),
    request_body = SettingsRequest,
    responses((status = 200, body = SettingsAnswer), Refusals)
)]
pub(crate) async fn update_settings(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
    body: JsonBody<SettingsRequest>,
) -> ApiResult<Json<SettingsAnswer>> {
    Ok(Json(app.service.update_settings(project.asked_by(&caller), body.value).await?))
}

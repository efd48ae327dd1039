//! `GET /v1/projects/{project_id}/settings`.

use axum::{Json, extract::State};
use reflect_api::SettingsAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Answers a project's own defaults.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/settings",
    tag = "projects",
    params(ProjectPath),
    responses((status = 200, body = SettingsAnswer), Refusals)
)]
pub(crate) async fn get_settings(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<SettingsAnswer>> {
    Ok(Json(app.service.get_settings(project.asked_by(&caller)).await?))
}

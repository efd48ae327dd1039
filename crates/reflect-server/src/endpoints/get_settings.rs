//! `GET /v1/projects/{project_id}/settings`.

use axum::Json;
use reflect_api::SettingsAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers a project's own defaults.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/settings",
    tag = "projects",
    params(InProject),
    responses((status = 200, body = SettingsAnswer), Refusals)
)]
pub(crate) async fn get_settings(asked: InProject) -> ApiResult<Json<SettingsAnswer>> {
    Ok(Json(asked.service.get_settings(asked.asker()).await?))
}

//! `PATCH /v1/projects/{project_id}/settings`.

use axum::Json;
use reflect_api::{SettingsAnswer, SettingsRequest};

use crate::{body::JsonBody, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Changes a project's own defaults. What is absent stays; null follows the server again.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project_id}/settings",
    tag = "projects",
    params(InProject),
    request_body = SettingsRequest,
    responses((status = 200, body = SettingsAnswer), Refusals)
)]
pub(crate) async fn update_settings(
    asked: InProject,
    body: JsonBody<SettingsRequest>,
) -> ApiResult<Json<SettingsAnswer>> {
    let (changes, request) = (asked.changes.clone(), body.value);
    Ok(Json(changes.make(async move { asked.service.update_settings(asked.asker(), request).await }).await??))
}

//! `GET /v1/projects/{project_id}/settings/choices`.

use axum::Json;
use reflect_api::SettingChoicesAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Says what the project's settings can be set to, and what holds where they are not set. Needs `project:write` or `trace:read`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/settings/choices",
    tag = "projects",
    params(InProject),
    responses((status = 200, body = SettingChoicesAnswer), Refusals)
)]
pub(crate) async fn setting_choices(asked: InProject) -> ApiResult<Json<SettingChoicesAnswer>> {
    Ok(Json(asked.service.setting_choices(asked.asker()).await?))
}

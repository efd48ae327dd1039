//! `PATCH /v1/projects/{project_id}/settings`.

use axum::{Json, extract::State};
use reflect_api::{SettingsAnswer, SettingsRequest};
use reflect_engine::SettingsChange;

use crate::{
    App, auth::Authenticated, body::JsonBody, endpoints::get_settings::settings_answer, error::ApiResult,
    openapi::Refusals, parameters::ProjectPath,
};

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
    ProjectPath(project_id): ProjectPath,
    body: JsonBody<SettingsRequest>,
) -> ApiResult<Json<SettingsAnswer>> {
    body.value.check(&app.limits)?;
    let change = SettingsChange {
        lambda: body.value.lambda,
        mmr_lambda: body.value.mmr_lambda,
        similarity_threshold: body.value.similarity_threshold,
        alpha: body.value.alpha,
        reflector: body.value.reflector,
        embedder: body.value.embedder,
        judge: body.value.judge,
        judge_rubric: body.value.judge_rubric,
    };
    let project = app.engine.update_settings(&caller, &project_id, change).await?;
    Ok(Json(settings_answer(&app, project).await?))
}

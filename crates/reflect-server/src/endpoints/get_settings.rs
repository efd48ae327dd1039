//! `GET /v1/projects/{project_id}/settings`.

use axum::{Json, extract::State};
use reflect_api::{EmbedderSwitchAnswer, SettingsAnswer};
use reflect_core::Project;

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
    ProjectPath(project_id): ProjectPath,
) -> ApiResult<Json<SettingsAnswer>> {
    let project = app.engine.get_project(&caller, &project_id).await?;
    Ok(Json(settings_answer(&app, (*project).clone()).await?))
}

/// A project's defaults, with how far it has come on the way to another embedder.
pub(crate) async fn settings_answer(app: &App, project: Project) -> ApiResult<SettingsAnswer> {
    let switch = app.engine.switch_status(&project).await?.map(|status| EmbedderSwitchAnswer {
        to: status.switch.target.0,
        done: status.progress.done,
        total: status.progress.total,
        started_at: status.switch.started_at,
        problem: status.problem,
    });
    Ok(SettingsAnswer::new(project, switch))
}

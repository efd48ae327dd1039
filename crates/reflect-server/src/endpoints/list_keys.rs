//! `GET /v1/projects/{project_id}/api-keys`.

use axum::{Json, extract::State};
use reflect_api::KeyAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::ProjectPath};

/// Lists a project's keys, revoked ones included, never their secrets.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/api-keys",
    tag = "keys",
    params(ProjectPath),
    responses((status = 200, body = Vec<KeyAnswer>), Refusals)
)]
pub(crate) async fn list_keys(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
) -> ApiResult<Json<Vec<KeyAnswer>>> {
    Ok(Json(app.service.list_keys(project.asked_by(&caller)).await?))
}

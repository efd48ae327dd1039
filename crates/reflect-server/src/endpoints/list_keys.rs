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
    ProjectPath(project_id): ProjectPath,
) -> ApiResult<Json<Vec<KeyAnswer>>> {
    let keys = app.engine.list_keys(&caller, &project_id).await?;
    Ok(Json(keys.into_iter().map(Into::into).collect()))
}

//! `GET /v1/projects`.

use axum::{Json, extract::State};
use reflect_api::ProjectAnswer;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals};

/// Lists the projects that the key may see: all of them for the master key, its own for any other.
#[utoipa::path(get, path = "/v1/projects", tag = "projects", responses((status = 200, body = Vec<ProjectAnswer>), Refusals))]
pub(crate) async fn list_projects(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
) -> ApiResult<Json<Vec<ProjectAnswer>>> {
    Ok(Json(app.service.list_projects(&caller).await?))
}

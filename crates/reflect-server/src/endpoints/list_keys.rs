//! `GET /v1/projects/{project_id}/api-keys`.

use axum::Json;
use reflect_api::KeyAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Lists a project's keys, revoked ones included, never their secrets.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/api-keys",
    tag = "keys",
    params(InProject),
    responses((status = 200, body = Vec<KeyAnswer>), Refusals)
)]
pub(crate) async fn list_keys(asked: InProject) -> ApiResult<Json<Vec<KeyAnswer>>> {
    Ok(Json(asked.service.list_keys(asked.asker()).await?))
}

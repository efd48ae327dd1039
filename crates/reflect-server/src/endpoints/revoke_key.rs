//! `POST /v1/projects/{project_id}/api-keys/{key_id}/revoke`.

use axum::{Json, extract::State};
use reflect_api::KeyAnswer;
use reflect_core::KeyId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Revokes a key. Idempotent: revoking twice answers the same key.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/api-keys/{key_id}/revoke",
    tag = "keys",
    params(InProject<KeyId>),
    responses((status = 200, body = KeyAnswer), Refusals)
)]
pub(crate) async fn revoke_key(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<KeyId>,
) -> ApiResult<Json<KeyAnswer>> {
    Ok(Json(app.service.revoke_key(path.asked_by(&caller), path.id).await?))
}

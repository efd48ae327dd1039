//! `POST /v1/projects/{project_id}/api-keys/{key_id}/revoke`.

use axum::Json;
use reflect_api::KeyAnswer;
use reflect_core::KeyId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Revokes a key. Idempotent: revoking twice answers the same key.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/api-keys/{key_id}/revoke",
    tag = "keys",
    params(InProject<KeyId>),
    responses((status = 200, body = KeyAnswer), Refusals)
)]
pub(crate) async fn revoke_key(asked: InProject<KeyId>) -> ApiResult<Json<KeyAnswer>> {
    let changes = asked.changes.clone();
    Ok(Json(changes.make(async move { asked.service.revoke_key(asked.asker(), asked.id).await }).await??))
}

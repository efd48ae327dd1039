//! `POST /v1/projects/{project_id}/api-keys`.

use axum::Json;
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer};

use crate::{
    body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader, parameters::InProject,
};

/// Makes a key for the project. Its text is in this answer and nowhere else.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/api-keys",
    tag = "keys",
    params(InProject, IdempotencyHeader),
    request_body = CreateKeyRequest,
    responses((status = 200, body = CreatedKeyAnswer), Refusals)
)]
pub(crate) async fn create_key(
    asked: InProject,
    body: JsonBody<CreateKeyRequest>,
) -> ApiResult<Json<CreatedKeyAnswer>> {
    let answer = asked.service.create_key(asked.asker(), body.value, body.idempotency).await?;
    Ok(Json(answer))
}

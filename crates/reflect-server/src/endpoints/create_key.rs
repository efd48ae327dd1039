//! `POST /v1/projects/{project_id}/api-keys`.

use axum::{Json, extract::State};
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer};

use crate::{
    App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::IdempotencyHeader,
    parameters::ProjectPath,
};

/// Makes a key for the project. Its text is in this answer and nowhere else.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/api-keys",
    tag = "keys",
    params(ProjectPath, IdempotencyHeader),
    request_body = CreateKeyRequest,
    responses((status = 200, body = CreatedKeyAnswer), Refusals)
)]
pub(crate) async fn create_key(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    project: ProjectPath,
    body: JsonBody<CreateKeyRequest>,
) -> ApiResult<Json<CreatedKeyAnswer>> {
    let answer = app.service.create_key(project.asked_by(&caller), body.value, body.idempotency).await?;
    Ok(Json(answer))
}

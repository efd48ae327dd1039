//! `POST /v1/projects/{project_id}/api-keys`.

use axum::{Json, extract::State};
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer};
use reflect_core::Environment;
use reflect_engine::NewKey;

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
    ProjectPath(project_id): ProjectPath,
    body: JsonBody<CreateKeyRequest>,
) -> ApiResult<Json<CreatedKeyAnswer>> {
    body.value.check(&app.limits)?;
    let new_key = NewKey {
        label: body.value.label,
        scopes: body.value.scopes,
        environment: body.value.environment.unwrap_or(Environment::Live),
    };
    let created = app.engine.create_key(&caller, &project_id, new_key, body.idempotency).await?;
    Ok(Json(CreatedKeyAnswer { api_key: created.plain_text, key: created.key.into() }))
}

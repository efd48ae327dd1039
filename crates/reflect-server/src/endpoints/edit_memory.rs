//! `PATCH /v1/projects/{project_id}/memories/{memory_id}`.

use axum::{Json, extract::State};
use reflect_api::{EditMemoryRequest, MemoryDetail};
use reflect_core::MemoryId;

use crate::{App, auth::Authenticated, body::JsonBody, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Shows or hides a memory, or gives it new words. Its utility and its record stay.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    request_body = EditMemoryRequest,
    responses((status = 200, body = MemoryDetail), Refusals)
)]
pub(crate) async fn edit_memory(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<MemoryId>,
    body: JsonBody<EditMemoryRequest>,
) -> ApiResult<Json<MemoryDetail>> {
    Ok(Json(app.service.edit_memory(path.asked_by(&caller), path.id, body.value).await?))
}

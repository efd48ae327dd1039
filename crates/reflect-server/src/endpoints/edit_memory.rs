//! `PATCH /v1/projects/{project_id}/memories/{memory_id}`.

use axum::Json;
use reflect_api::{EditMemoryRequest, MemoryDetail};
use reflect_core::MemoryId;

use crate::{body::JsonBody, error::ApiResult, openapi::Refusals, parameters::InProject};

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
    asked: InProject<MemoryId>,
    body: JsonBody<EditMemoryRequest>,
) -> ApiResult<Json<MemoryDetail>> {
    Ok(Json(asked.service.edit_memory(asked.asker(), asked.id, body.value).await?))
}

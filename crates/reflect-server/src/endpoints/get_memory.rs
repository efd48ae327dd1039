//! `GET /v1/projects/{project_id}/memories/{memory_id}`.

use axum::Json;
use reflect_api::MemoryDetail;
use reflect_core::MemoryId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one memory with its whole record, its newest credits included.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 200, body = MemoryDetail), Refusals)
)]
pub(crate) async fn get_memory(asked: InProject<MemoryId>) -> ApiResult<Json<MemoryDetail>> {
    Ok(Json(asked.service.get_memory(asked.asker(), asked.id).await?))
}

//! `DELETE /v1/projects/{project_id}/memories/{memory_id}`.

use axum::http::StatusCode;
use reflect_core::MemoryId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Deletes a memory. What it says is erased; its ledger is kept for audit.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 204), Refusals)
)]
pub(crate) async fn delete_memory(asked: InProject<MemoryId>) -> ApiResult<StatusCode> {
    asked.service.delete_memory(asked.asker(), asked.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `DELETE /v1/projects/{project_id}/memories/{memory_id}`.

use axum::{extract::State, http::StatusCode};
use reflect_core::MemoryId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Deletes a memory. What it says is erased; its ledger is kept for audit.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 204), Refusals)
)]
pub(crate) async fn delete_memory(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<MemoryId>,
) -> ApiResult<StatusCode> {
    app.service.delete_memory(path.asked_by(&caller), path.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `GET /v1/projects/{project_id}/memories/{memory_id}/revisions`.

use axum::Json;
use reflect_api::RevisionAnswer;
use reflect_core::MemoryId;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Lists what a memory says and said before it was rewritten, newest first.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/{memory_id}/revisions",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 200, body = Vec<RevisionAnswer>), Refusals)
)]
pub(crate) async fn list_memory_revisions(asked: InProject<MemoryId>) -> ApiResult<Json<Vec<RevisionAnswer>>> {
    Ok(Json(asked.service.list_memory_revisions(asked.asker(), asked.id).await?))
}

//! `GET /v1/projects/{project_id}/memories/map`.

use axum::Json;
use reflect_api::MemoryMapAnswer;

use crate::{error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers a map of the project's active memories, the newest 20,000 at most: each a point in two dimensions, near those about similar
/// tasks. The same memories always give the same map.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/map",
    tag = "memories",
    params(InProject),
    responses((status = 200, body = MemoryMapAnswer), Refusals)
)]
pub(crate) async fn memory_map(asked: InProject) -> ApiResult<Json<MemoryMapAnswer>> {
    Ok(Json(asked.service.memory_map(asked.asker()).await?))
}

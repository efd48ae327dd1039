//! `GET /v1/projects/{project_id}/memories/{memory_id}`.

use axum::{Json, extract::State};
use reflect_api::MemoryDetail;
use reflect_core::MemoryId;

use crate::{App, auth::Authenticated, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one memory with its whole record, its newest credits included.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 200, body = MemoryDetail), Refusals)
)]
pub(crate) async fn get_memory(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    path: InProject<MemoryId>,
) -> ApiResult<Json<MemoryDetail>> {
    Ok(Json(app.service.get_memory(path.asked_by(&caller), path.id).await?))
}

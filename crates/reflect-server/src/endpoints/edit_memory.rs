//! `PATCH /v1/projects/{project_id}/memories/{memory_id}`.

use axum::{Json, extract::State};
use reflect_api::{EditMemoryRequest, MemoryDetail};
use reflect_core::MemoryId;
use reflect_engine::EditMemory;

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
    body.value.check(&app.limits)?;
    let request = body.value;
    let edit = EditMemory {
        status: request.status,
        summary: request.summary,
        key_mistake: request.key_mistake,
        correct_action: request.correct_action,
        guidance: request.guidance,
        applicable_tools: request.applicable_tools,
    };
    let memory = app.engine.edit_memory(&caller, &path.project_id, path.id, edit).await?;
    Ok(Json(MemoryDetail::new(memory, None)))
}

//! `PATCH /v1/projects/{project_id}/memories/{memory_id}`.

use reflect_api::{EditMemoryRequest, MemoryDetail};
use reflect_core::MemoryId;

use crate::{body::JsonBody, byte_budget::CountedJson, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Shows or hides a memory, brings back what queries leave out, or gives it new words. Its record stays.
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
) -> ApiResult<CountedJson<MemoryDetail>> {
    let bytes = asked.service.measure_memory(asked.asker(), asked.id).await?;
    let mut permit = asked.byte_budget.take_for_answer(bytes).await?;
    permit.add(body.permit);
    let (changes, edit) = (asked.changes.clone(), body.value);
    let edited = changes.make(async move { asked.service.edit_memory(asked.asker(), asked.id, edit).await });
    Ok(CountedJson { value: edited.await??, permit })
}

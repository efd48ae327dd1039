//! `GET /v1/projects/{project_id}/memories/{memory_id}`.

use reflect_api::MemoryDetail;
use reflect_core::MemoryId;

use crate::{byte_budget::CountedJson, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Answers one memory with its whole record, its newest credits included.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/{memory_id}",
    tag = "memories",
    params(InProject<MemoryId>),
    responses((status = 200, body = MemoryDetail), Refusals)
)]
pub(crate) async fn get_memory(asked: InProject<MemoryId>) -> ApiResult<CountedJson<MemoryDetail>> {
    let bytes = asked.service.measure_memory(asked.asker(), asked.id).await?;
    let permit = asked.byte_budget.take_for_answer(bytes).await?;
    Ok(CountedJson { value: asked.service.get_memory(asked.asker(), asked.id).await?, permit })
}

//! `POST /v1/projects/{project_id}/traces/{trace_id}/retry`.

use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{byte_budget::CountedJson, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Works a failed trace again, from its first attempt.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/{trace_id}/retry",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn retry_trace(asked: InProject<TraceId>) -> ApiResult<CountedJson<TraceAnswer>> {
    let bytes = asked.service.measure_trace(asked.asker(), asked.id).await?;
    let permit = asked.byte_budget.take_for_answer(bytes).await?;
    Ok(CountedJson { value: asked.service.retry_trace(asked.asker(), asked.id).await?, permit })
}

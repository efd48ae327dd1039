//! `DELETE /v1/projects/{project_id}/traces/{trace_id}/review`.

use reflect_api::TraceAnswer;
use reflect_core::TraceId;

use crate::{byte_budget::CountedJson, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Takes a review back: everything ends as if it had never been.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project_id}/traces/{trace_id}/review",
    tag = "traces",
    params(InProject<TraceId>),
    responses((status = 200, body = TraceAnswer), Refusals)
)]
pub(crate) async fn take_back_review(asked: InProject<TraceId>) -> ApiResult<CountedJson<TraceAnswer>> {
    let bytes = asked.service.measure_trace(asked.asker(), asked.id).await?;
    let permit = asked.byte_budget.take_for_answer(bytes).await?;
    Ok(CountedJson { value: asked.service.take_back_review(asked.asker(), asked.id).await?, permit })
}

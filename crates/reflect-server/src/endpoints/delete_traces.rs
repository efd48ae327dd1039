//! `POST /v1/projects/{project_id}/traces/delete`.

use reflect_api::{DeleteTracesAnswer, DeleteTracesRequest};

use crate::{body::JsonBody, byte_budget::CountedJson, error::ApiResult, openapi::Refusals, parameters::InProject};

/// Erases traces. What they taught stays, unless `cascade` is set.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/traces/delete",
    tag = "traces",
    params(InProject),
    request_body = DeleteTracesRequest,
    responses((status = 200, body = DeleteTracesAnswer), Refusals)
)]
pub(crate) async fn delete_traces(
    asked: InProject,
    body: JsonBody<DeleteTracesRequest>,
) -> ApiResult<CountedJson<DeleteTracesAnswer>> {
    let value = asked.service.delete_traces(asked.asker(), body.value).await?;
    Ok(CountedJson { value, permit: body.permit })
}

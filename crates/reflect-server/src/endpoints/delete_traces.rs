//! `POST /v1/projects/{project_id}/traces/delete`.

use axum::Json;
use reflect_api::{DeleteTracesAnswer, DeleteTracesRequest};

use crate::{body::JsonBody, error::ApiResult, openapi::Refusals, parameters::InProject};

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
) -> ApiResult<Json<DeleteTracesAnswer>> {
    Ok(Json(asked.service.delete_traces(asked.asker(), body.value).await?))
}

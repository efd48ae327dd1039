//! `GET /v1/projects/{project_id}/memories/{memory_id}/credits`.

use axum::{
    Json,
    extract::OriginalUri,
    response::{IntoResponse, Response},
};
use reflect_api::{CreditAnswer, ListCreditsRequest};
use reflect_core::MemoryId;

use crate::{
    error::ApiResult,
    openapi::Refusals,
    paging::next_link,
    parameters::{InProject, QueryString},
};

/// Lists the steps of a memory's utility that count, newest first, a page at a time. The header `Link` leads to the next page.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories/{memory_id}/credits",
    tag = "memories",
    params(InProject<MemoryId>, ListCreditsRequest),
    responses((status = 200, body = Vec<CreditAnswer>), Refusals)
)]
pub(crate) async fn list_credits(
    asked: InProject<MemoryId>,
    OriginalUri(uri): OriginalUri,
    QueryString(request): QueryString<ListCreditsRequest>,
) -> ApiResult<Response> {
    let page = asked.service.list_credits(asked.asker(), asked.id, &request).await?;
    let link = page.next_cursor.map(|cursor| next_link(&uri, &cursor));
    let mut response = Json(page.items).into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

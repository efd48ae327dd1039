//! `GET /v1/projects/{project_id}/memories`.

use axum::{
    extract::OriginalUri,
    response::{IntoResponse, Response},
};
use reflect_api::{ListMemoriesRequest, MemoryDetail};

use crate::{
    byte_budget::CountedJson,
    error::ApiResult,
    openapi::Refusals,
    paging::next_link,
    parameters::{InProject, QueryString},
};

/// Lists memories, newest first, a page at a time. The header `Link` leads to the next page.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories",
    tag = "memories",
    params(InProject, ListMemoriesRequest),
    responses((status = 200, body = Vec<MemoryDetail>), Refusals)
)]
pub(crate) async fn list_memories(
    asked: InProject,
    OriginalUri(uri): OriginalUri,
    QueryString(request): QueryString<ListMemoriesRequest>,
) -> ApiResult<Response> {
    let plan = asked.service.plan_memories(asked.asker(), &request).await?;
    let permit = asked.byte_budget.take_for_answer(plan.bytes).await?;
    let page = asked.service.read_memories(asked.asker(), plan).await?;
    let link = page.next_cursor.map(|cursor| next_link(&uri, &cursor));
    let mut response = CountedJson { value: page.items, permit }.into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

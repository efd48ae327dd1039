//! `GET /v1/projects/{project_id}/memories`.

use axum::{
    Json,
    extract::{OriginalUri, State},
    response::{IntoResponse, Response},
};
use reflect_api::MemoryDetail;
use reflect_core::{MemoryId, MemoryStatus};
use reflect_engine::MemoryFilter;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    App,
    auth::Authenticated,
    error::ApiResult,
    openapi::Refusals,
    paging::{next_link, page_limit, parse_cursor},
    parameters::{ProjectPath, QueryString},
};

/// Which memories, and how many.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MemoryParameters {
    /// Only those that are shown (`active`) or hidden (`disabled`).
    #[param(value_type = Option<String>, pattern = "^(active|disabled)$")]
    status: Option<MemoryStatus>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1_000, default = 100)]
    limit: Option<u32>,
    /// Where the page starts: the value in the `Link` of the page before.
    #[param(format = Uuid)]
    cursor: Option<String>,
}

/// Lists memories, newest first, a page at a time. The header `Link` leads to the next page.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/memories",
    tag = "memories",
    params(ProjectPath, MemoryParameters),
    responses((status = 200, body = Vec<MemoryDetail>), Refusals)
)]
pub(crate) async fn list_memories(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    ProjectPath(project_id): ProjectPath,
    OriginalUri(uri): OriginalUri,
    QueryString(parameters): QueryString<MemoryParameters>,
) -> ApiResult<Response> {
    let limit = page_limit(parameters.limit)?.unwrap_or(100);
    let before = parameters.cursor.as_deref().map(parse_cursor::<MemoryId>).transpose()?;
    // One more than asked for tells whether there is a next page.
    let filter = MemoryFilter { status: parameters.status, before, limit: limit + 1 };
    let mut memories = app.engine.list_memories(&caller, &project_id, filter).await?;
    let more = memories.len() > limit;
    memories.truncate(limit);
    let link = memories.last().filter(|_| more).map(|last| next_link(&uri, &last.id.to_string()));
    let details: Vec<MemoryDetail> = memories.into_iter().map(|memory| MemoryDetail::new(memory, None)).collect();
    let mut response = Json(details).into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

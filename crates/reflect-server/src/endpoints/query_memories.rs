//! `POST /v1/projects/{project_id}/memory/query`: the lessons for a task.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue},
};
use reflect_api::{QueryAnswer, QueryRequest, QueryRequestSchema};
use reflect_service::Queried;

use crate::{
    body::JsonBody,
    error::ApiResult,
    headers::{APPROXIMATE_SEARCH, HELD_OUT, NOTHING_FOUND, PARTIAL_SEARCH, RETRIEVAL_ID},
    openapi::Refusals,
    parameters::{IdempotencyHeader, InProject},
};

/// Answers the memories that serve a task best, best first. The header `X-Retrieval-Id` names the answer: pass it on as
/// `retrieval_id` when you record the run. With `messages` instead of a `task`, what to search for is distilled from the
/// conversation, and the answer is an object that says so. The header `X-Reflect-Partial-Search` is there only while not all
/// memories can be found: the project is on the way to another embedder, and the one that it has can no longer run. Where `holdout` is set, that share of tasks is
/// answered an empty list with the header `X-Reflect-Held-Out`; queries with `explain` and those of the console are not.
/// The header `X-Reflect-Approximate-Search` is there only where a better memory may be missing: the project does not fit in the server's memory, and was searched in the database,
/// in a graph of similar memories that may pass some over (`graph`), or not to the end (`unfinished`).
/// An empty answer says why in `X-Reflect-Nothing-Found`: how near the nearest memory is, or that there is none.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/memory/query",
    tag = "memories",
    params(InProject, IdempotencyHeader),
    request_body = QueryRequestSchema,
    responses(
        (status = 200, body = QueryAnswer, headers(
            ("X-Retrieval-Id" = String, description = "Names this answer"),
            ("X-Reflect-Held-Out" = f64, description = "The share of tasks that do without memories, if this is one of them"),
            ("X-Reflect-Partial-Search" = String, description = "How many memories were searched, if not all"),
            ("X-Reflect-Approximate-Search" = String, description = "`graph` or `unfinished`, if a better memory may be missing"),
            ("X-Reflect-Nothing-Found" = String, description = "Why the answer is empty, if it is"),
        )),
        Refusals
    )
)]
pub(crate) async fn query_memories(
    asked: InProject,
    body: JsonBody<QueryRequest>,
) -> ApiResult<(HeaderMap, Json<QueryAnswer>)> {
    let queried = asked.service.query(asked.asker(), body.value, body.idempotency.map(|sent| sent.key)).await?;
    Ok((headers(&queried), Json(queried.answer)))
}

fn headers(queried: &Queried) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(retrieval_id) = queried.retrieval_id {
        headers.insert(RETRIEVAL_ID, visible(&retrieval_id.to_string()));
    }
    if let Some(share) = queried.held_out {
        headers.insert(HELD_OUT, visible(&share.to_string()));
    }
    if let Some(progress) = queried.partial {
        headers.insert(PARTIAL_SEARCH, visible(&progress.to_string()));
    }
    if let Some(approximate) = queried.approximate {
        headers.insert(APPROXIMATE_SEARCH, HeaderValue::from_static(approximate.as_str()));
    }
    if let Some(why) = queried.nothing_found {
        headers.insert(NOTHING_FOUND, visible(&why.to_string()));
    }
    headers
}

fn visible(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

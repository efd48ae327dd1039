//! `GET /v1/projects/{project_id}/traces`: a page, or all of them as a stream.

use axum::{
    body::Body,
    extract::OriginalUri,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use reflect_api::{ListTracesRequest, TraceAnswer};
use reflect_core::TraceId;
use reflect_engine::TraceView;
use reflect_service::{Refusal, trace_view};

use crate::{
    error::ApiResult,
    openapi::Refusals,
    paging::next_link,
    parameters::{InProject, MetadataParameter, QueryString},
};

/// How many traces are read at a time. Each may be as large as a request, so a list is never held in memory whole.
const STREAMED_AT_A_TIME: usize = 25;

/// Lists traces, newest first. The body is a list; where there are more, the header `Link` leads on.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/traces",
    tag = "traces",
    params(InProject, ListTracesRequest, MetadataParameter),
    responses((status = 200, body = Vec<TraceAnswer>), Refusals)
)]
pub(crate) async fn list_traces(
    asked: InProject,
    OriginalUri(uri): OriginalUri,
    QueryString(request): QueryString<ListTracesRequest>,
) -> ApiResult<Response> {
    let view = trace_view(&request)?;
    let page = asked.service.list_trace_ids(asked.asker(), &request).await?;
    let link = page.next_cursor.map(|cursor| next_link(&uri, &cursor));
    let listing = Listing { asked, view };
    let body = Body::from_stream(listing.stream(page.items));
    let mut response = ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

/// Whose traces are listed, and how much of each.
struct Listing {
    asked: InProject,
    view: TraceView,
}

impl Listing {
    /// The JSON of the traces with these ids, read and written a few at a time.
    fn stream(self, trace_ids: Vec<TraceId>) -> impl Stream<Item = Result<Bytes, Refusal>> {
        let start = Some((self, trace_ids.into_iter(), String::from("[")));
        stream::try_unfold(start, |state| async move {
            let Some((listing, mut left, mut json)) = state else {
                return Ok(None);
            };
            let piece: Vec<TraceId> = left.by_ref().take(STREAMED_AT_A_TIME).collect();
            let (service, asker) = (&listing.asked.service, listing.asked.asker());
            let traces: Vec<TraceAnswer> = service.get_traces(asker, piece, listing.view).await?;
            for trace in traces {
                json += &serde_json::to_string(&trace).unwrap_or_default();
                json.push(',');
            }
            // The last comma waits until it is known whether anything follows it.
            let held_back = if json.ends_with(',') { json.pop() } else { None };
            if left.len() == 0 {
                json.push(']');
                return Ok(Some((Bytes::from(json), None)));
            }
            let next = held_back.map(String::from).unwrap_or_default();
            Ok(Some((Bytes::from(json), Some((listing, left, next)))))
        })
    }
}

//! `GET /v1/projects/{project_id}/traces`: a page, or all of them as a stream.

use std::sync::Arc;

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
    byte_budget::{BytePermit, held},
    error::ApiResult,
    openapi::Refusals,
    paging::next_link,
    parameters::{InProject, MetadataParameter, QueryString},
};

/// How many bytes of traces are read at a time, unless one alone has more: a list is never held in memory whole.
const PIECE_BYTES: usize = 1 << 20;

/// A trace without words is some bytes of JSON, too.
const LEAST_BYTES: usize = 512;

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
    let bytes = asked.service.measure_traces(asked.asker(), page.items.clone(), view).await?;
    let pieces = cut(page.items.into_iter().zip(bytes));
    // Enough for the largest piece, and taken while the list can still be refused: once begun it never breaks off for want of room.
    let largest = pieces.iter().map(|piece| piece.bytes).max().unwrap_or_default();
    let permit = Arc::new(asked.byte_budget.take_for_answer(largest).await?);
    let listing = Listing { asked, view, permit };
    let body = Body::from_stream(listing.stream(pieces));
    let mut response = ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

/// Traces that are read and sent together.
#[derive(Default)]
struct Piece {
    trace_ids: Vec<TraceId>,
    bytes: usize,
}

fn cut(traces: impl Iterator<Item = (TraceId, usize)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (trace_id, bytes) in traces.map(|(trace_id, bytes)| (trace_id, bytes.max(LEAST_BYTES))) {
        match pieces.last_mut() {
            Some(piece) if piece.bytes + bytes <= PIECE_BYTES => {
                piece.trace_ids.push(trace_id);
                piece.bytes += bytes;
            }
            _ => pieces.push(Piece { trace_ids: vec![trace_id], bytes }),
        }
    }
    pieces
}

/// Whose traces are listed, how much of each, and what a piece of them may hold.
struct Listing {
    asked: InProject,
    view: TraceView,
    permit: Arc<BytePermit>,
}

impl Listing {
    /// The JSON of the traces, read and written a piece at a time.
    fn stream(self, pieces: Vec<Piece>) -> impl Stream<Item = Result<Bytes, Refusal>> {
        let start = Some((self, pieces.into_iter(), String::from("[")));
        stream::try_unfold(start, |state| async move {
            let Some((listing, mut left, mut json)) = state else {
                return Ok(None);
            };
            let piece = left.next().unwrap_or_default();
            let (service, asker) = (&listing.asked.service, listing.asked.asker());
            let traces: Vec<TraceAnswer> = service.get_traces(asker, piece.trace_ids, listing.view).await?;
            for trace in traces {
                json += &serde_json::to_string(&trace).unwrap_or_default();
                json.push(',');
            }
            // The last comma waits until it is known whether anything follows it.
            let held_back = if json.ends_with(',') { json.pop() } else { None };
            if left.len() == 0 {
                json.push(']');
                return Ok(Some((held(json, listing.permit), None)));
            }
            let next = held_back.map(String::from).unwrap_or_default();
            Ok(Some((held(json, Arc::clone(&listing.permit)), Some((listing, left, next)))))
        })
    }
}

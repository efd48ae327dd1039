//! `GET /v1/projects/{project_id}/traces`: a page, or all of them as a stream.

use axum::{
    body::Body,
    extract::{OriginalUri, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use reflect_api::{ErrorCode, TraceAnswer};
use reflect_core::{IngestStatus, Outcome, ProjectId, ReviewStatus, Timestamp, TraceId};
use reflect_engine::{Caller, EngineError, TraceFilter, TracePage};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    App,
    auth::Authenticated,
    error::{ApiError, ApiResult},
    openapi::Refusals,
    paging::{next_link, page_limit, parse_cursor},
    parameters::{ProjectPath, QueryString},
};

/// How many traces are read at a time. Each may be as large as a request, so a list is never held in memory whole.
const STREAMED_AT_A_TIME: usize = 25;

/// Which traces, and how many.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TraceParameters {
    /// Only those whose review has (`reviewed`) or has not (`pending`) become a memory.
    #[param(value_type = Option<String>, pattern = "^(pending|reviewed)$")]
    review_status: Option<ReviewStatus>,
    /// Only those on which the work has come this far.
    #[param(value_type = Option<String>, pattern = "^(queued|processing|completed|failed)$")]
    ingest_status: Option<IngestStatus>,
    /// Only those that were reviewed with this result.
    #[param(value_type = Option<String>, pattern = "^(pass|fail)$")]
    result: Option<Outcome>,
    /// Only those of this model.
    model: Option<String>,
    /// Only those stored at or after this time.
    #[param(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Only those stored before this time.
    #[param(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// How many at most. Without it the list is streamed whole, up to the server's cap.
    #[param(minimum = 1, maximum = 1_000)]
    limit: Option<u32>,
    /// Where the page starts: the value in the `Link` of the page before.
    #[param(format = Uuid)]
    cursor: Option<String>,
    /// `summary` leaves the trajectories out.
    #[param(pattern = "^(full|summary)$")]
    view: Option<String>,
}

impl TraceParameters {
    fn filter(&self) -> TraceFilter {
        TraceFilter {
            review_status: self.review_status,
            ingest_status: self.ingest_status,
            result: self.result,
            model: self.model.clone(),
            since: self.since,
            until: self.until,
        }
    }

    fn with_trajectory(&self) -> ApiResult<bool> {
        match self.view.as_deref() {
            None | Some("full") => Ok(true),
            Some("summary") => Ok(false),
            Some(other) => {
                let message = format!("`view` is `{other}`, it must be `full` or `summary`");
                Err(ApiError::new(ErrorCode::InvalidRequest, message).with_path("view"))
            }
        }
    }
}

/// Lists traces, newest first. The body is a list; where there are more, the header `Link` leads on.
#[utoipa::path(
    get,
    path = "/v1/projects/{project_id}/traces",
    tag = "traces",
    params(ProjectPath, TraceParameters),
    responses((status = 200, body = Vec<TraceAnswer>), Refusals)
)]
pub(crate) async fn list_traces(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    ProjectPath(project_id): ProjectPath,
    OriginalUri(uri): OriginalUri,
    QueryString(parameters): QueryString<TraceParameters>,
) -> ApiResult<Response> {
    let before = parameters.cursor.as_deref().map(parse_cursor::<TraceId>).transpose()?;
    let with_trajectory = parameters.with_trajectory()?;
    let limit = page_limit(parameters.limit)?.unwrap_or(app.limits.unpaged_list);
    // One more than asked for tells whether there is a next page.
    let page = TracePage { before, limit: limit + 1 };
    let mut trace_ids = app.engine.list_trace_ids(&caller, &project_id, parameters.filter(), page).await?;
    let more = trace_ids.len() > limit;
    trace_ids.truncate(limit);
    let link = trace_ids.last().filter(|_| more).map(|last| next_link(&uri, &last.to_string()));
    let body = Body::from_stream(Listing { app, caller, project_id, with_trajectory }.stream(trace_ids));
    let mut response = ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
    response.headers_mut().extend(link);
    Ok(response)
}

/// Whose traces are listed, and how much of each.
struct Listing {
    app: App,
    caller: Caller,
    project_id: ProjectId,
    with_trajectory: bool,
}

impl Listing {
    /// The JSON of the traces with these ids, read and written a few at a time.
    fn stream(self, trace_ids: Vec<TraceId>) -> impl Stream<Item = Result<Bytes, EngineError>> {
        let start = Some((self, trace_ids.into_iter(), String::from("[")));
        stream::try_unfold(start, |state| async move {
            let Some((listing, mut left, mut json)) = state else {
                return Ok(None);
            };
            let piece: Vec<TraceId> = left.by_ref().take(STREAMED_AT_A_TIME).collect();
            let engine = &listing.app.engine;
            let traces =
                engine.get_traces(&listing.caller, &listing.project_id, piece, listing.with_trajectory).await?;
            for trace in traces {
                json += &serde_json::to_string(&TraceAnswer::from(trace)).unwrap_or_default();
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

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
use reflect_core::{IngestStatus, Outcome, ProjectId, ReviewStatus, Timestamp, Trace, TraceId};
use reflect_engine::{Caller, EngineError};
use reflect_engine::{TraceFilter, TracePage};
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
    let listing = Listing { app, caller, project_id, filter: parameters.filter() };
    let limit = page_limit(parameters.limit)?.unwrap_or(listing.app.limits.unpaged_list);
    let page = TracePage { before, limit, with_trajectory };
    let end = listing.end(page.clone()).await?;
    let body = Body::from_stream(listing.stream(page));
    let mut response = ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
    response.headers_mut().extend(end.map(|last| next_link(&uri, &last.to_string())));
    Ok(response)
}

/// Whose traces are listed, and which.
struct Listing {
    app: App,
    caller: Caller,
    project_id: ProjectId,
    filter: TraceFilter,
}

impl Listing {
    /// Where a page ends, if more come after it.
    async fn end(&self, page: TracePage) -> Result<Option<TraceId>, EngineError> {
        self.app.engine.page_end(&self.caller, &self.project_id, self.filter.clone(), page).await
    }

    /// The JSON of a whole page, read and written a piece at a time.
    fn stream(self, page: TracePage) -> impl Stream<Item = Result<Bytes, EngineError>> {
        let start = Some((self, page, true));
        stream::try_unfold(start, |state| async move {
            let Some((listing, page, first)) = state else {
                return Ok(None);
            };
            let piece = TracePage { limit: page.limit.min(STREAMED_AT_A_TIME), ..page.clone() };
            let engine = &listing.app.engine;
            let traces =
                engine.list_traces(&listing.caller, &listing.project_id, listing.filter.clone(), piece.clone()).await?;
            let left = page.limit - traces.len();
            let next = traces.last().map(|last| TracePage { before: Some(last.id), limit: left, ..page });
            let last_piece = traces.len() < piece.limit || left == 0;
            let bytes = json_piece(traces, first, last_piece);
            Ok(Some((bytes, next.filter(|_| !last_piece).map(|next| (listing, next, false)))))
        })
    }
}

fn json_piece(traces: Vec<Trace>, first: bool, last: bool) -> Bytes {
    let mut json = String::from(if first { "[" } else { "" });
    for (index, trace) in traces.into_iter().enumerate() {
        if !first || index > 0 {
            json.push(',');
        }
        json += &serde_json::to_string(&TraceAnswer::from(trace)).unwrap_or_default();
    }
    if last {
        json.push(']');
    }
    Bytes::from(json)
}

//! What surrounds every request: its id, its line in the log, and the one shape of an error.

use axum::{
    Json,
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use reflect_api::{ErrorAnswer, ErrorBody, ErrorCode};
use reflect_engine::{HTTP_REQUESTS, HTTP_SECONDS, with_waits};
use tracing::Instrument;

use crate::{App, error::ApiError, gate, security, unread::Unread};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an id (the client's own, if it sent a sane one), logs how it ended, and dresses errors.
pub(crate) async fn wrap(
    axum::extract::State(app): axum::extract::State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let unread = Unread::watch(&mut request);
    let request_id = sent_id(&request).unwrap_or_else(|| app.service.engine.generate_request_id());
    let span =
        tracing::info_span!("request", id = %request_id, method = %request.method(), path = request.uri().path());
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let start = std::time::Instant::now();
    let is_last = gate::is_last(&request);
    let kind = security::Kind::of(request.uri().path());
    let answered = async {
        match gate::check(&app, &request) {
            Err(error) => {
                drop(request);
                error.into_response()
            }
            Ok(()) => {
                let response = next.run(request).instrument(span.clone()).await;
                app.byte_budget.count(response).await.unwrap_or_else(IntoResponse::into_response)
            }
        }
    };
    let (mut response, waits) = with_waits(answered).await;
    span.in_scope(|| tracing::debug!(status = response.status().as_u16(), "answered"));
    if let Some(error) = error_of(&method, &response) {
        response = dress(error, response, &request_id);
    }
    if let Some(unread) = unread {
        unread.settle(&mut response).await;
    }
    if is_last {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let path = path.as_ref().map_or("none", MatchedPath::as_str);
    if let Some(unsaid) = app.slow_requests.is_due(start.elapsed(), std::time::Instant::now()) {
        let took_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        span.in_scope(|| tracing::warn!(%method, path, took_ms, waited_for = %waits, unsaid, "a slow request"));
    }
    count(&app, &Answered { method: &method, path, status: response.status(), took: start.elapsed() });
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    security::protect(response.headers_mut(), kind);
    response
}

/// A request that was answered.
struct Answered<'a> {
    method: &'a Method,
    path: &'a str,
    status: StatusCode,
    took: std::time::Duration,
}

/// Counts an answer. Unknown methods and unknown paths are counted under one name each: a stranger must not be able to
/// make new rows.
fn count(app: &App, answered: &Answered<'_>) {
    let Answered { method, path, status, took } = *answered;
    let method = match *method {
        Method::GET | Method::POST | Method::PATCH | Method::DELETE | Method::HEAD => method.as_str(),
        _ => "other",
    };
    let metrics = app.service.engine.metrics();
    metrics.count(&HTTP_REQUESTS, &[method, path, status.as_str()]);
    metrics.observe(&HTTP_SECONDS, &[method, path], took);
}

/// What a panicking handler answers. The panic itself is in the log.
pub(crate) fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    tracing::error!("a handler panicked");
    ApiError::new(ErrorCode::Internal, "the server failed; its log has more under this request's id").into_response()
}

/// The answer for a path that nothing serves.
pub(crate) async fn no_such_path() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this path; `/docs` lists what there is")
}

fn sent_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let sane = !id.is_empty() && id.len() <= 128 && id.bytes().all(|byte| byte.is_ascii_graphic());
    sane.then(|| id.to_owned())
}

/// The error behind an answer: the handler's own, or one that the framework gave as a bare status.
fn error_of(method: &Method, response: &Response) -> Option<ApiError> {
    if let Some(error) = response.extensions().get::<ApiError>() {
        return Some(error.clone());
    }
    match response.status() {
        // Which methods it has is added after this, in the header.
        StatusCode::METHOD_NOT_ALLOWED => {
            let message = format!("this path has no {method}; the header `Allow` lists what it has");
            Some(ApiError::new(ErrorCode::MethodNotAllowed, message))
        }
        status if status.is_client_error() && response.headers().get(header::CONTENT_TYPE).is_none_or(is_plain) => {
            Some(ApiError::new(ErrorCode::BadRequest, format!("the request was refused: {status}")))
        }
        _ => None,
    }
}

fn is_plain(content_type: &HeaderValue) -> bool {
    content_type.as_bytes().starts_with(b"text/plain")
}

/// An error as JSON, keeping what else the answer had to say in its headers.
fn dress(error: ApiError, bare: Response, request_id: &str) -> Response {
    let body = ErrorBody {
        code: error.0.code,
        message: error.0.message,
        request_id: request_id.to_owned(),
        path: error.0.path,
    };
    let status = StatusCode::from_u16(error.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(ErrorAnswer { error: body })).into_response();
    for name in [header::RETRY_AFTER, header::WWW_AUTHENTICATE] {
        if let Some(value) = bare.headers().get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

//! The console in the browser: its page at every address of its own, and what that page loads.

use axum::{
    Extension,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use reflect_api::ErrorCode;
use reflect_console::{Content, File};

use crate::{
    App,
    byte_budget::IsCounted,
    envelope,
    error::{ApiError, ApiResult},
};

/// A new console is seen at the next visit.
const ASK_EACH_TIME: HeaderValue = HeaderValue::from_static("no-cache");

/// The names of assets change with what is in them.
const KEEP_FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The page of the console. Which of its views to show it reads from the address by itself.
pub(crate) async fn page(State(app): State<App>, headers: HeaderMap) -> ApiResult<Response> {
    answer(app.console.page(), ASK_EACH_TIME, &headers)
}

/// Scripts, styles and pictures of the console.
pub(crate) async fn asset(State(app): State<App>, Path(name): Path<String>, headers: HeaderMap) -> ApiResult<Response> {
    match app.console.asset(&name) {
        Some(file) => answer(file, KEEP_FOR_EVER, &headers),
        None => Err(envelope::no_such_path().await),
    }
}

fn answer(file: File, cache_control: HeaderValue, asked: &HeaderMap) -> ApiResult<Response> {
    // Weak, since it is the same whether the answer is compressed or not.
    let tag = format!("W/\"{}\"", file.fingerprint);
    let is_known = values(asked, header::IF_NONE_MATCH).any(|known| known == tag);
    let mut response = if is_known { StatusCode::NOT_MODIFIED.into_response() } else { full(file, asked)? };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cache_control);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

fn full(file: File, asked: &HeaderMap) -> ApiResult<Response> {
    let media_type = [(header::CONTENT_TYPE, file.media_type)];
    match file.content {
        Content::Gzipped(bytes) if takes_gzip(asked) => {
            let coding = [(header::CONTENT_ENCODING, "gzip")];
            Ok((media_type, coding, Extension(IsCounted), Body::from(bytes)).into_response())
        }
        content => {
            let plain =
                content.plain().map_err(|_| ApiError::new(ErrorCode::Internal, "a file of the console is broken"))?;
            Ok((media_type, Body::from(plain)).into_response())
        }
    }
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    values(asked, header::ACCEPT_ENCODING).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// The elements of a header that is a list.
fn values(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let texts = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

//! Headers that tell browsers what they may not do with an answer.

use axum::http::{HeaderMap, HeaderValue, header};

/// What pages may load: the documentation is served whole from here.
const PAGE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/// What everything else may load.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Whether a path leads to a page for people.
pub(crate) fn is_page(path: &str) -> bool {
    path.starts_with("/docs")
}

/// Answers hold keys and what agents have seen: they are kept nowhere, framed nowhere, and taken for nothing but what they are.
pub(crate) fn protect(headers: &mut HeaderMap, is_page: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let policy = if is_page { PAGE_POLICY } else { DATA_POLICY };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    if !is_page {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

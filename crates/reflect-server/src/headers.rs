//! Headers that we read and write.

use axum::http::{HeaderMap, HeaderName};

use crate::error::ApiError;

/// Names the answer of a query.
pub(crate) const RETRIEVAL_ID: HeaderName = HeaderName::from_static("x-retrieval-id");

/// Says how much of a project a query has searched, where that was not everything.
pub(crate) const PARTIAL_SEARCH: HeaderName = HeaderName::from_static("x-reflect-partial-search");

/// Says why a better memory may be missing from an answer.
pub(crate) const APPROXIMATE_SEARCH: HeaderName = HeaderName::from_static("x-reflect-approximate-search");

/// Says why an answer is empty.
pub(crate) const NOTHING_FOUND: HeaderName = HeaderName::from_static("x-reflect-nothing-found");

/// Says that a task does without memories, with the share of tasks that do.
pub(crate) const HELD_OUT: HeaderName = HeaderName::from_static("x-reflect-held-out");

/// The client's `Idempotency-Key`, if it sent one.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let value = value.to_str().unwrap_or_default();
    Ok(Some(reflect_api::idempotency_key(value)?))
}

//! Request bodies: read within their limits, parsed with the place of what is wrong.

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body as HttpBody;
use reflect_api::{ErrorCode, Limits, Object, find_too_deep};
use reflect_engine::{IdempotencyKey, WaitedFor, waiting_for};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::{App, error::ApiError, headers};

/// How many bytes a body of a few names may have.
const SMALL_BYTES: usize = 16 * 1024;

/// A JSON body.
pub(crate) struct JsonBody<T> {
    pub(crate) value: T,
    /// What makes this request one and the same, if the client says so.
    pub(crate) idempotency: Option<IdempotencyKey>,
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        read_json(request, &app.service.limits).await
    }
}

/// A JSON body of a few names, as strangers may send.
pub(crate) struct SmallJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for SmallJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let body_bytes = app.service.limits.body_bytes.min(SMALL_BYTES);
        let limits = Limits { body_bytes, ..(*app.service.limits).clone() };
        Ok(Self(read_json(request, &limits).await?.value))
    }
}

async fn read_json<T: DeserializeOwned>(request: Request, limits: &Limits) -> Result<JsonBody<T>, ApiError> {
    let (parts, body) = request.into_parts();
    let bytes = waiting_for(WaitedFor::Body, read(body, limits.body_bytes)).await?;
    refuse_other_media(&parts.headers)?;
    let idempotency = headers::idempotency_key(&parts.headers)?
        .map(|key| IdempotencyKey { key, fingerprint: fingerprint(parts.method.as_str(), parts.uri.path(), &bytes) });
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| ApiError::new(ErrorCode::InvalidJson, format!("the body is not UTF-8: {error}")))?;
    if let Some(path) = find_too_deep(&bytes, limits.nesting) {
        let message = format!("`{path}` nests deeper than the {} levels that are allowed", limits.nesting);
        return Err(ApiError::new(ErrorCode::InvalidRequest, message).with_path(path));
    }
    Ok(JsonBody { value: parse(text)?, idempotency })
}

/// Reads a body up to its limit. What is left of one that is larger is not our concern: see [`crate::unread`].
async fn read(mut body: Body, allowed: usize) -> Result<Bytes, ApiError> {
    let too_large = || {
        let message = format!("the body is larger than the {allowed} bytes that are allowed");
        ApiError::new(ErrorCode::PayloadTooLarge, message)
    };
    if body.size_hint().lower() > allowed as u64 {
        return Err(too_large());
    }
    let mut kept = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::new(ErrorCode::BadRequest, "the body broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        if kept.len() + data.len() > allowed {
            return Err(too_large());
        }
        kept.extend_from_slice(&data);
    }
    Ok(kept.freeze())
}

fn refuse_other_media(headers: &HeaderMap) -> Result<(), ApiError> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, "send JSON, with the header `Content-Type: application/json`"))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    let error = match serde_json::from_str::<Object<T>>(text) {
        Ok(Object(value)) => return Ok(value),
        Err(error) => error,
    };
    if !error.is_data() {
        return Err(ApiError::new(ErrorCode::InvalidJson, format!("the body is not valid JSON: {error}")));
    }
    // Tracking the path costs time, so it is done only once something is known to be wrong.
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let (path, problem) = match serde_path_to_error::deserialize::<_, Object<T>>(&mut deserializer) {
        Ok(Object(value)) => return Ok(value),
        Err(error) => (error.path().to_string(), error.into_inner().to_string()),
    };
    Err(refuse(&path, &problem))
}

/// What serde says about a field, with the field's whole path. A field that is missing is named by its own path rather than
/// by that of the object it is missing from.
fn refuse(path: &str, problem: &str) -> ApiError {
    let outer = if path == "." { "" } else { path };
    let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let joint = if outer.is_empty() || missing.is_none() { "" } else { "." };
    let path = format!("{outer}{joint}{}", missing.unwrap_or_default());
    let error = match (missing, path.is_empty()) {
        (Some(_), _) => ApiError::new(ErrorCode::InvalidRequest, format!("`{path}` is missing")),
        (None, true) => ApiError::new(ErrorCode::InvalidRequest, format!("the body: {problem}")),
        (None, false) => ApiError::new(ErrorCode::InvalidRequest, format!("`{path}`: {problem}")),
    };
    if path.is_empty() { error } else { error.with_path(path) }
}

fn fingerprint(method: &str, path: &str, body: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in [method.as_bytes(), path.as_bytes(), body] {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        let seen = |path, problem| {
            let error = refuse(path, problem);
            (error.0.message, error.0.path)
        };
        assert_eq!(seen(".", "missing field `task` at line 1"), ("`task` is missing".into(), Some("task".into())));
        assert_eq!(seen("a[1]", "missing field `b`"), ("`a[1].b` is missing".into(), Some("a[1].b".into())));
        assert_eq!(seen("limit", "invalid type"), ("`limit`: invalid type".into(), Some("limit".into())));
        assert_eq!(seen(".", "invalid type"), ("the body: invalid type".into(), None));
    }
}

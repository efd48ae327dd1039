//! Request bodies: read within their limits, parsed with the place of what is wrong.

use std::time::{Duration, Instant};

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    http::{HeaderMap, header, request::Parts},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body as HttpBody;
use reflect_api::{ErrorCode, Object, find_too_deep};
use reflect_engine::{IdempotencyKey, WaitedFor, waiting_for};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::{
    App,
    auth::refuse_ended,
    byte_budget::{ByteBudget, BytePermit, PROMPT, UNCOUNTED},
    error::ApiError,
    headers,
};

/// How many bytes a body of a few names may have.
const SMALL_BYTES: usize = 16 * 1024;

/// For how many bytes of a large body the budget is asked at a time.
const COUNTED_AT_A_TIME: usize = 256 * 1024;

/// A JSON body of somebody with a key.
pub(crate) struct JsonBody<T> {
    pub(crate) value: T,
    /// What makes this request one and the same, if the client says so.
    pub(crate) idempotency: Option<IdempotencyKey>,
    /// For its bytes, and for the value that was made of them.
    pub(crate) permit: BytePermit,
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let body = ReadBody::read(&parts, body, app, app.service.limits.body_bytes).await?;
        refuse_ended(app, &parts).await?;
        body.json(app)
    }
}

/// A JSON body of a few names, as strangers may send.
pub(crate) struct SmallJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for SmallJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let allowed = app.service.limits.body_bytes.min(SMALL_BYTES);
        let (parts, body) = request.into_parts();
        Ok(Self(ReadBody::read(&parts, body, app, allowed).await?.json(app)?.value))
    }
}

/// The bytes of a JSON body, before anything looks at what they say.
pub(crate) struct ReadBody {
    pub(crate) bytes: Bytes,
    pub(crate) idempotency: Option<IdempotencyKey>,
    /// For its bytes, and for the value that is made of them.
    pub(crate) permit: BytePermit,
}

impl ReadBody {
    pub(crate) async fn read(parts: &Parts, body: Body, app: &App, allowed: usize) -> Result<Self, ApiError> {
        let (bytes, permit) = waiting_for(WaitedFor::Body, read(body, &app.byte_budget, allowed)).await?;
        refuse_other_media(&parts.headers)?;
        let idempotency = headers::idempotency_key(&parts.headers)?.map(|key| IdempotencyKey {
            key,
            fingerprint: fingerprint(parts.method.as_str(), parts.uri.path(), &bytes),
        });
        Ok(Self { bytes, idempotency, permit })
    }

    fn json<T: DeserializeOwned>(self, app: &App) -> Result<JsonBody<T>, ApiError> {
        Ok(JsonBody { value: parse(self.text(app)?)?, idempotency: self.idempotency, permit: self.permit })
    }

    /// Its text, which nests no deeper than is allowed.
    pub(crate) fn text(&self, app: &App) -> Result<&str, ApiError> {
        let text = std::str::from_utf8(&self.bytes)
            .map_err(|error| ApiError::new(ErrorCode::InvalidJson, format!("the body is not UTF-8: {error}")))?;
        let nesting = app.service.limits.nesting;
        match find_too_deep(&self.bytes, nesting) {
            None => Ok(text),
            Some(path) => {
                let message = format!("`{path}` nests deeper than the {nesting} levels that are allowed");
                Err(ApiError::new(ErrorCode::InvalidRequest, message).with_path(path))
            }
        }
    }
}

/// Reads a body up to its limit. What is left of one that is larger is not our concern: see [`crate::unread`]. The budget is
/// taken as the bytes come rather than as they are announced: promises hold no memory. Each counts twice, as it came and as the value
/// that is made of it.
async fn read(mut body: Body, budget: &ByteBudget, allowed: usize) -> Result<(Bytes, BytePermit), ApiError> {
    let too_large = || {
        let message = format!("the body is larger than the {allowed} bytes that are allowed");
        ApiError::new(ErrorCode::PayloadTooLarge, message)
    };
    if body.size_hint().lower() > allowed as u64 {
        return Err(too_large());
    }
    let (mut kept, mut permit, mut counted) = (BytesMut::new(), BytePermit::default(), UNCOUNTED);
    let mut waited = Duration::ZERO;
    loop {
        let asked_at = Instant::now();
        let Some(frame) = body.frame().await else { return Ok((kept.freeze(), permit)) };
        waited += asked_at.elapsed();
        let frame = frame.map_err(|_| ApiError::new(ErrorCode::BadRequest, "the body broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = kept.len() + data.len();
        if length > allowed {
            return Err(too_large());
        }
        if length > UNCOUNTED && waited > PROMPT && budget.is_contended() {
            return Err(budget.exhausted());
        }
        if length > counted {
            let more = COUNTED_AT_A_TIME.max(length - counted);
            permit.add(budget.take(2 * more).await?);
            counted += more;
        }
        kept.extend_from_slice(&data);
    }
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

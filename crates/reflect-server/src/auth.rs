//! Recognising who calls.

use std::{
    net::{IpAddr, SocketAddr},
    time::Instant,
};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{header, request::Parts},
};
use reflect_api::ErrorCode;
use reflect_core::KeyId;
use reflect_engine::{AuthError, Caller};

use crate::{App, error::ApiError};

/// Someone whose key was recognised.
pub(crate) struct Authenticated(pub(crate) Caller);

impl FromRequestParts<App> for Authenticated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let key = bearer(parts)?;
        match app.service.engine.authenticate(key).await {
            Ok(caller) => refuse_when_too_fast(app, &caller).map(|()| Self(caller)),
            Err(AuthError::Unknown) => Err(failed_attempt(app, parts, key, AuthError::Unknown.into())),
            Err(error) => {
                if matches!(error, AuthError::Revoked | AuthError::Expired(_)) {
                    app.service.engine.audit_failure(key, address(parts), &error.to_string());
                }
                Err(error.into())
            }
        }
    }
}

/// Refuses a request whose key has ended while its body came: that can be a while.
pub(crate) async fn refuse_ended(app: &App, parts: &Parts) -> Result<(), ApiError> {
    app.service.engine.authenticate(bearer(parts)?).await?;
    Ok(())
}

/// Refuses a request of a key that asks more often than it may. Operators always get in.
fn refuse_when_too_fast(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let Some(rates) = app.key_rates.as_ref().filter(|_| caller.key_id != KeyId::MASTER) else { return Ok(()) };
    rates.take(caller.key_id, Instant::now()).map_err(|seconds| {
        let message = format!("this key asks more often than it may; try again in {seconds} s");
        ApiError::new(ErrorCode::RateLimited, message).retry_after(seconds)
    })
}

/// The key of a request as it was sent, for those who have to look at it again later.
pub(crate) struct KeyText(pub(crate) String);

impl FromRequestParts<App> for KeyText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, ApiError> {
        bearer(parts).map(|key| Self(key.to_owned()))
    }
}

/// What a wrong secret is answered: `refusal`, or 429 to an address that has tried too many. Only failures are ever counted and
/// slowed down, so nobody can lock out the holder of the right key.
pub(crate) fn failed_attempt(app: &App, parts: &Parts, key: &str, refusal: ApiError) -> ApiError {
    let (engine, address) = (&app.service.engine, address(parts));
    match app.throttle.note_failure(address, key) {
        None => {
            engine.audit_failure(key, address, &refusal.0.message);
            refusal
        }
        Some(seconds) => {
            engine.audit_rate_limit(key, address);
            let message = format!("too many failed attempts with this key; try again in {seconds} s");
            ApiError::new(ErrorCode::TooManyFailures, message).retry_after(seconds)
        }
    }
}

fn address(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

fn bearer(parts: &Parts) -> Result<&str, ApiError> {
    let missing =
        || ApiError::new(ErrorCode::Unauthorized, "send your API key in the header `Authorization: Bearer rf_live_…`");
    let value = parts.headers.get(header::AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, key) = value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or_else(missing)?;
    if !scheme.eq_ignore_ascii_case("bearer") || key.trim().is_empty() {
        return Err(missing());
    }
    Ok(key.trim())
}

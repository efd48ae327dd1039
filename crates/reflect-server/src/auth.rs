//! Recognising who calls.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{header, request::Parts},
};
use reflect_api::ErrorCode;
use reflect_engine::{AuthError, Caller};

use crate::{App, error::ApiError};

/// Someone whose key was recognised.
pub(crate) struct Authenticated(pub(crate) Caller);

impl FromRequestParts<App> for Authenticated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let key = bearer(parts)?;
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        refuse_guessers(app, address, key)?;
        match app.service.engine.authenticate(key).await {
            Ok(caller) => Ok(Self(caller)),
            Err(error) => {
                if matches!(error, AuthError::Unknown) {
                    app.throttle.note_failure(address, key);
                }
                if !matches!(error, AuthError::Store(_)) {
                    app.service.engine.audit_failure(key, address, &error.to_string());
                }
                Err(error.into())
            }
        }
    }
}

/// Answers 429 to an address that has tried too many wrong secrets.
pub(crate) fn refuse_guessers(app: &App, address: Option<IpAddr>, key: &str) -> Result<(), ApiError> {
    match app.throttle.wait_seconds(address, key) {
        None => Ok(()),
        Some(seconds) => {
            app.service.engine.audit_rate_limit(key, address);
            let message = format!("too many failed attempts with this key; try again in {seconds} s");
            Err(ApiError::new(ErrorCode::TooManyFailures, message).retry_after(seconds))
        }
    }
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

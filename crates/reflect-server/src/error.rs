//! Refusals on their way to the wire.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use reflect_api::ErrorCode;
use reflect_service::Refusal;

/// The result of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// A refusal as a response. The envelope around every request adds the request's id and turns it into JSON.
#[derive(Debug, Clone)]
pub(crate) struct ApiError(pub(crate) Refusal);

impl ApiError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Refusal::new(code, message))
    }

    pub(crate) fn with_path(self, path: impl Into<String>) -> Self {
        Self(self.0.with_path(path))
    }

    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self(self.0.retry_after(seconds))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        if let Some(seconds) = self.0.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.code == ErrorCode::Unauthorized {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Whatever the service can put into words can be answered.
impl<E: Into<Refusal>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

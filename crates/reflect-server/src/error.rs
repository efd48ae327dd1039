//! Errors on their way to the wire.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use reflect_api::{ErrorCode, Violation};
use reflect_engine::StoreError;
use reflect_engine::{AuthError, EngineError};

/// The result of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// A refusal or failure. The envelope around every request adds the request's id and turns it into JSON.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) path: Option<String>,
    pub(crate) retry_after_seconds: Option<u64>,
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None, retry_after_seconds: None }
    }

    pub(crate) fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} `{id}` in this project"))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == ErrorCode::Unauthorized {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Violation> for ApiError {
    fn from(violation: Violation) -> Self {
        Self::new(ErrorCode::InvalidRequest, violation.to_string()).with_path(violation.path)
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::NotFound(_) | EngineError::BootstrapDisabled => ErrorCode::NotFound,
            EngineError::MissingScope(_) | EngineError::OtherProject | EngineError::ScopeNotHeld(_) => {
                ErrorCode::Forbidden
            }
            EngineError::AlreadyReviewed(_) => ErrorCode::AlreadyReviewed,
            EngineError::ReviewInProgress(_) => ErrorCode::ReviewInProgress,
            EngineError::NotFailed(_) => ErrorCode::NotFailed,
            EngineError::IdempotencyKeyReused => ErrorCode::IdempotencyKeyReused,
            EngineError::SecretGone => ErrorCode::SecretGone,
            EngineError::ProjectExists(_) => ErrorCode::ProjectExists,
            EngineError::TooFewMemories { .. } => ErrorCode::TooFewMemories,
            EngineError::WrongBootstrapToken => ErrorCode::Unauthorized,
            EngineError::Backlogged { .. } => ErrorCode::Backlogged,
            EngineError::Invalid { .. } => ErrorCode::InvalidRequest,
            EngineError::Embedding(_) | EngineError::SkillContended => ErrorCode::Unavailable,
            EngineError::Store(error) => return error.clone().into(),
        };
        let answer = Self::new(code, error.to_string());
        match error {
            EngineError::Backlogged { retry_after_seconds, .. } => answer.retry_after(retry_after_seconds),
            EngineError::Invalid { field, .. } => answer.with_path(field),
            _ => answer,
        }
    }
}

/// What the store says is for the log; a client is told what to do.
impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull => Self::new(
                ErrorCode::DiskFull,
                "the server's disk is full: nothing was stored; try again when there is room",
            ),
            StoreError::NotWritable(_) | StoreError::Closed => {
                tracing::error!(%error, "the store cannot serve");
                Self::new(ErrorCode::Unavailable, "the server cannot store anything right now; try again shortly")
                    .retry_after(5)
            }
            error => {
                tracing::error!(%error, "the store failed");
                Self::new(ErrorCode::Internal, "the server failed; its log has more under this request's id")
            }
        }
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Unknown | AuthError::Revoked => Self::new(ErrorCode::Unauthorized, error.to_string()),
            AuthError::Store(error) => error.into(),
        }
    }
}

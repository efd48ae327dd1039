//! Refusals and failures: their codes, their words, and how the errors of the engine become them.

use std::fmt;

use reflect_api::{ErrorCode, Violation};
use reflect_engine::{AuthError, EngineError, StoreError};

/// The result of a request.
pub type ServiceResult<T> = Result<T, Refusal>;

/// A refusal or failure in the wire's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A stable name for the cause.
    pub code: ErrorCode,
    /// What was wrong and what to do about it.
    pub message: String,
    /// The field that is wrong, where it is a field.
    pub path: Option<String>,
    /// When to come back, where that is known.
    pub retry_after_seconds: Option<u64>,
}

impl Refusal {
    /// A refusal for this reason.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None, retry_after_seconds: None }
    }

    /// The same, naming the field that is wrong.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same, naming when to come back.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    /// There is no such thing.
    pub fn not_found(what: &str, id: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} `{id}` in this project"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::new(ErrorCode::InvalidRequest, violation.to_string()).with_path(violation.path)
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::NotFound(_) | EngineError::BootstrapDisabled => ErrorCode::NotFound,
            EngineError::MissingScope(_)
            | EngineError::OtherProject
            | EngineError::ScopeNotHeld(_)
            | EngineError::TimeNotHeld { .. }
            | EngineError::SessionOfSession
            | EngineError::NoSession => ErrorCode::Forbidden,
            EngineError::AlreadyReviewed(_) => ErrorCode::AlreadyReviewed,
            EngineError::ReviewInProgress(_) => ErrorCode::ReviewInProgress,
            EngineError::NotFailed(_) => ErrorCode::NotFailed,
            EngineError::IdempotencyKeyReused => ErrorCode::IdempotencyKeyReused,
            EngineError::SecretGone => ErrorCode::SecretGone,
            EngineError::ProjectExists(_) => ErrorCode::ProjectExists,
            EngineError::TooFewMemories { .. } => ErrorCode::TooFewMemories,
            EngineError::WrongBootstrapToken | EngineError::WrongSignInCode => ErrorCode::Unauthorized,
            EngineError::Backlogged { .. } => ErrorCode::Backlogged,
            EngineError::QuotaExceeded { .. } => ErrorCode::QuotaExceeded,
            EngineError::Invalid { .. } => ErrorCode::InvalidRequest,
            EngineError::SearchTooBroad { .. } => ErrorCode::SearchTooBroad,
            EngineError::Embedding(_)
            | EngineError::EmbedderBusy { .. }
            | EngineError::SearchesBusy { .. }
            | EngineError::BeingErased { .. }
            | EngineError::SkillContended => ErrorCode::Unavailable,
            EngineError::Store(error) => return error.clone().into(),
        };
        let answer = Self::new(code, error.to_string());
        match error {
            EngineError::Backlogged { retry_after_seconds, .. }
            | EngineError::QuotaExceeded { retry_after_seconds, .. }
            | EngineError::EmbedderBusy { retry_after_seconds }
            | EngineError::SearchesBusy { retry_after_seconds }
            | EngineError::BeingErased { retry_after_seconds, .. } => answer.retry_after(retry_after_seconds),
            EngineError::Invalid { field, .. } => answer.with_path(field),
            _ => answer,
        }
    }
}

/// What the store says is for the log; a client is told what to do.
impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull => Self::new(
                ErrorCode::DiskFull,
                "the server's disk is full: nothing was stored; try again when there is room",
            ),
            StoreError::DatabaseFull => Self::new(
                ErrorCode::Unavailable,
                "the database is full: nothing was stored; try again when there is room",
            )
            .retry_after(5),
            StoreError::NotWritable(_) | StoreError::TakenOver | StoreError::Closed => {
                tracing::error!(%error, "the store cannot serve");
                Self::new(ErrorCode::Unavailable, "the server cannot store anything right now; try again shortly")
                    .retry_after(5)
            }
            StoreError::Unavailable(_) | StoreError::Refused(_) | StoreError::Interrupted => {
                tracing::error!(%error, "the database does not answer");
                Self::new(ErrorCode::Unavailable, "the database does not answer right now; try again shortly")
                    .retry_after(1)
            }
            StoreError::Crossed => {
                tracing::warn!(%error, "a request was not stored");
                Self::new(
                    ErrorCode::Unavailable,
                    "another request was at the same thing at the same moment: nothing was stored; try again",
                )
                .retry_after(1)
            }
            error => {
                tracing::error!(%error, "the store failed");
                Self::new(ErrorCode::Internal, "the server failed; its log has more under this request's id")
            }
        }
    }
}

impl From<AuthError> for Refusal {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Unknown | AuthError::Revoked | AuthError::Expired(_) => {
                Self::new(ErrorCode::Unauthorized, error.to_string())
            }
            AuthError::Store(error) => error.into(),
        }
    }
}

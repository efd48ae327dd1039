//! Why there is no answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a model did not answer, told apart by what a caller would do about it.
///
/// The texts of providers are shortened, and keys are struck from them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatError {
    /// Too many calls (429). Worth another try after the wait.
    #[error("the provider limits how often it may be asked: {message}")]
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// Its words.
        message: String,
    },
    /// No connection, one that broke, or the provider's own failure (5xx). Worth another try.
    #[error("the provider is not available: {message}")]
    Unavailable {
        /// The status, where an answer came.
        status: Option<u16>,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// What happened.
        message: String,
    },
    /// The answer took too long. Worth another try.
    #[error("no complete answer within {} ms", after.as_millis())]
    Timeout {
        /// How long it was waited for.
        after: Duration,
    },
    /// The request itself is not taken (4xx): a wrong key, an unknown model, too long a text. Trying again changes nothing.
    #[error("the provider refused: {message}")]
    Refused {
        /// The status, where an answer came.
        status: Option<u16>,
        /// Its words.
        message: String,
    },
    /// Something came that is no answer of this protocol: nothing, a web page, other JSON. Worth another try, since proxies
    /// do this in passing.
    #[error("the provider's answer makes no sense: {message}")]
    Malformed {
        /// What was wrong with it.
        message: String,
    },
    /// The operator's spending limit is reached; the provider was not asked.
    #[error("the spending limit is reached: {message}")]
    Budget {
        /// Which limit.
        message: String,
    },
    /// A script or a recording has no answer to this request.
    #[error("there is no recorded answer: {message}")]
    NotRecorded {
        /// Which request, and what to do.
        message: String,
    },
}

impl ChatError {
    /// Whether the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Timeout { .. } | Self::Malformed { .. } => true,
            Self::Refused { .. } | Self::Budget { .. } | Self::NotRecorded { .. } => false,
        }
    }

    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The kind in one word, for metrics and logs: a refusal is told apart by what an operator would look at.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } => "unavailable",
            Self::Timeout { .. } => "timeout",
            Self::Refused { status: Some(401 | 403), .. } => "unauthorized",
            Self::Refused { status: Some(404), .. } => "not_found",
            // Gemini answers 400 to a key that it does not know.
            Self::Refused { message, .. } if message.to_lowercase().contains("api key") => "unauthorized",
            Self::Refused { .. } => "refused",
            Self::Malformed { .. } => "malformed",
            Self::Budget { .. } => "budget",
            Self::NotRecorded { .. } => "not_recorded",
        }
    }
}

//! Why there is no reflection.

use std::time::Duration;

use reflect_llm::ChatError;

/// Why there is no reflection. [`ReflectError::is_temporary`] tells whether trying again may help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectError {
    /// The model that was asked did not answer. Whether trying again may help is up to its error.
    #[error(transparent)]
    Model(ChatError),
    /// Trying again later may help.
    #[error("{0}")]
    Temporary(String),
    /// Nothing came within the time that was allowed.
    #[error("no answer came within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// Answers came, and none could be used: empty, of the wrong shape, or nothing new.
    #[error("no answer could be used: {0}")]
    Unusable(String),
    /// Trying again will not help.
    #[error("{0}")]
    Permanent(String),
}

impl ReflectError {
    /// Whether whoever was asked did not answer at all, so that others who ask will not be answered either.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Model(error) => error.is_temporary(),
            Self::Temporary(_) | Self::TimedOut(_) => true,
            Self::Unusable(_) | Self::Permanent(_) => false,
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Model(error) => error.is_temporary(),
            Self::Temporary(_) | Self::TimedOut(_) | Self::Unusable(_) => true,
            Self::Permanent(_) => false,
        }
    }

    /// The kind in one word, for metrics and logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Model(error) => error.kind(),
            Self::TimedOut(_) => "timeout",
            Self::Unusable(_) => "unusable",
            Self::Temporary(_) | Self::Permanent(_) => "error",
        }
    }
}

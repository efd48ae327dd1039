//! Why there is no reflection.

use std::time::Duration;

/// Why there is no reflection. [`ReflectError::is_temporary`] tells whether trying again may help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectError {
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
        matches!(self, Self::Temporary(_) | Self::TimedOut(_))
    }

    /// Whether the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Temporary(_) | Self::TimedOut(_) | Self::Unusable(_) => true,
            Self::Permanent(_) => false,
        }
    }
}

//! Why an endpoint gave no vectors, and whether asking again may help.

use std::time::Duration;

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Asking again may help, after this time if the endpoint named one.
    Passing { retry_after: Option<Duration> },
    /// The endpoint does not take this request; it may take a smaller one.
    Refused,
    /// Asking again will not help.
    Lasting,
}

/// A request that came to nothing.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct Failure {
    pub(super) cause: Cause,
    message: String,
}

impl Failure {
    pub(super) fn passing(message: String, retry_after: Option<Duration>) -> Self {
        Self { cause: Cause::Passing { retry_after }, message }
    }

    pub(super) fn refused(message: String) -> Self {
        Self { cause: Cause::Refused, message }
    }

    pub(super) fn lasting(message: String) -> Self {
        Self { cause: Cause::Lasting, message }
    }

    /// The same, with the number of tries in its message.
    pub(super) fn after(self, tries: u32) -> Self {
        let times = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
        let asked = match self.cause {
            Cause::Passing { retry_after: Some(pause) } => format!(", and it asks to wait {} s", pause.as_secs()),
            _ => String::new(),
        };
        Self { message: format!("{} (tried {times}{asked})", self.message), ..self }
    }
}

//! Why rules do a model's work.

use std::fmt;

use reflect_core::Timestamp;
use reflect_llm::ChatError;
use reflection::ReflectError;

/// Why rules do a model's work: it was not asked, or its answer is of no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// Not asked: its circuit breaker is open until then.
    CircuitOpen { until: Timestamp },
    /// Not asked: the daily spend limit is reached, and allows calls again from then on.
    SpendLimit { until: Timestamp },
    /// Not asked: the answer was due before.
    NoTimeLeft,
    /// Not asked: too many calls were waiting for models already.
    NoSlot,
    /// It was still working when the answer was due, and all slots of those who could go on waiting were taken.
    NoFollowUpSlot,
    /// It was still working when the answer was due.
    TooSlow,
    /// It was asked and did not answer.
    NoAnswer(Failure),
    /// It refused the call, or the call could not be made.
    Refused(Failure),
    /// It answered, and nothing that can be used.
    Unusable(String),
    /// What asks it panicked.
    Panicked,
}

/// How a call failed: its kind in one word, and the words of whoever was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: &'static str,
    pub(crate) words: String,
}

impl From<ReflectError> for Fallback {
    fn from(error: ReflectError) -> Self {
        let failure = Failure { kind: error.kind(), words: error.to_string() };
        match error {
            ReflectError::Unusable(_) => Self::Unusable(failure.words),
            error if error.is_outage() => Self::NoAnswer(failure),
            _ => Self::Refused(failure),
        }
    }
}

impl Fallback {
    /// Of a call that ended so, in the words of whoever made it.
    pub(super) fn of_call(error: &ChatError, words: String) -> Self {
        let failure = Failure { kind: error.kind(), words };
        if error.is_temporary() { Self::NoAnswer(failure) } else { Self::Refused(failure) }
    }

    /// The label under which it is counted.
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::CircuitOpen { .. } => "outage",
            Self::SpendLimit { .. } => "budget",
            Self::NoTimeLeft | Self::NoFollowUpSlot | Self::TooSlow => "deadline",
            Self::NoSlot => "crowded",
            Self::NoAnswer(failure) | Self::Refused(failure) => failure.kind,
            Self::Unusable(_) => "unusable",
            Self::Panicked => "panic",
        }
    }

    /// Whether the model was asked, and came to nothing.
    pub(crate) const fn was_asked(&self) -> bool {
        matches!(self, Self::TooSlow | Self::NoAnswer(_) | Self::Refused(_) | Self::Unusable(_) | Self::Panicked)
    }

    /// What it says about the model; `None` where it says nothing.
    pub(super) const fn model_answered(&self) -> Option<bool> {
        match self {
            Self::Unusable(_) => Some(true),
            Self::TooSlow | Self::NoAnswer(_) => Some(false),
            Self::CircuitOpen { .. }
            | Self::SpendLimit { .. }
            | Self::NoTimeLeft
            | Self::NoSlot
            | Self::NoFollowUpSlot
            | Self::Refused(_)
            | Self::Panicked => None,
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CircuitOpen { .. } => "the model has not answered lately",
            Self::SpendLimit { .. } => "the daily spend limit is reached",
            Self::NoTimeLeft => "the lesson was due before the model could be asked",
            Self::NoSlot => "too many lessons waited for a model already",
            Self::NoFollowUpSlot => "the model took long, and other follow-ups come first",
            Self::TooSlow => "the model took too long",
            Self::NoAnswer(failure) | Self::Refused(failure) => &failure.words,
            Self::Unusable(why) => why,
            Self::Panicked => "the reflector panicked",
        })
    }
}

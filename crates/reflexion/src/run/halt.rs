//! What ends a run.

use crate::{BoxError, Stage, StopReason, control::Broken, error::with_causes};

#[derive(Debug)]
pub(super) enum Halt {
    /// With an outcome.
    Stop(StopReason),
    /// With an error.
    Failed { stage: Stage, source: BoxError },
}

impl Halt {
    pub(super) fn of(stage: Stage, broken: Broken) -> Self {
        match broken {
            Broken::Time => Self::Stop(StopReason::Time),
            Broken::Cancelled => Self::Stop(StopReason::Cancelled),
            Broken::Failed(source) => Self::Failed { stage, source },
        }
    }

    pub(super) fn stage(&self) -> Option<Stage> {
        match self {
            Self::Stop(_) => None,
            Self::Failed { stage, .. } => Some(*stage),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Stop(reason) => reason.to_string(),
            Self::Failed { stage, source } => format!("{stage} failed: {}", with_causes(&**source)),
        }
    }
}

/// Whether it is an error.
pub(super) fn failed(halt: &Option<Halt>) -> bool {
    matches!(halt, Some(Halt::Failed { .. }))
}

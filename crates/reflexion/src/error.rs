//! Why a run has no outcome but an error.

use serde::{Deserialize, Serialize};

use crate::{BoxError, Outcome};

/// A part of a trial in which something can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Making the attempt.
    Actor,
    /// Judging it.
    Evaluator,
    /// Writing the lesson.
    Reflector,
    /// A hook.
    Hook,
    /// Recalling lessons, and remembering a trial.
    Memory,
    /// Bringing the environment back to where it was.
    Reset,
    /// Writing a checkpoint.
    Checkpoint,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Actor => "the actor",
            Self::Evaluator => "the evaluator",
            Self::Reflector => "the reflector",
            Self::Hook => "a hook",
            Self::Memory => "the memory",
            Self::Reset => "the reset of the environment",
            Self::Checkpoint => "the checkpoint",
        })
    }
}

/// Why a run ended in an error. Whatever had been reached by then is in the outcome.
///
/// ```
/// use reflexion::{Attempt, AttemptContext, BoxError, Evaluation, FinishedAttempt, Reflexion, Stage, actor_fn, evaluator_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// let judge = evaluator_fn(|_: FinishedAttempt| async { Err::<Evaluation, BoxError>("out of order".into()) });
/// let Err(error) = Reflexion::builder(actor).evaluator(judge).build()?.run("task").await else { panic!("it cannot be judged") };
/// assert_eq!(error.stage(), Some(Stage::Evaluator));
/// assert_eq!(error.into_outcome().answer, "42");
/// # Ok(()) }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A stage failed, and its policy is to fail.
    #[error("{stage} failed in trial {trial}")]
    Stage {
        /// Which.
        stage: Stage,
        /// In which trial.
        trial: u32,
        /// Why; a panic says that it was one.
        source: BoxError,
        /// What had been reached.
        outcome: Box<Outcome>,
    },
    /// No trial passed, and [`crate::AnswerPolicy::Error`] asks for an error then.
    #[error("no trial passed: {}", .outcome.stop)]
    NotPassed {
        /// What had been reached.
        outcome: Box<Outcome>,
    },
}

impl RunError {
    /// What had been reached.
    pub fn outcome(&self) -> &Outcome {
        match self {
            Self::Stage { outcome, .. } | Self::NotPassed { outcome } => outcome,
        }
    }

    /// What had been reached, taken out of the error.
    pub fn into_outcome(self) -> Outcome {
        match self {
            Self::Stage { outcome, .. } | Self::NotPassed { outcome } => *outcome,
        }
    }

    /// The stage that failed, if one did.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Self::Stage { stage, .. } => Some(*stage),
            Self::NotPassed { .. } => None,
        }
    }
}

/// Someone's code panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it panicked: {0}")]
pub struct Panicked(pub String);

/// A try took longer than [`crate::StagePolicy::within`] allows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it took longer than {} ms", .0.as_millis())]
pub struct TookTooLong(pub std::time::Duration);

/// An error with its causes, each of them said once.
pub(crate) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it does not say why")
}

//! Looking on, and stepping in.

use async_trait::async_trait;

use crate::{BoxError, Evaluation, FinishedAttempt};

/// What a hook wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// Nothing.
    #[default]
    Continue,
    /// The run ends here, with the words for the outcome. A trial that has begun is still recorded and ended in order.
    Stop(String),
    /// These words take the place of the evaluator's feedback. At [`Hooks::on_evaluated`] the reflector reads them; at
    /// [`Hooks::on_trial_end`] only the record and the next trial do. An error elsewhere.
    ReplaceFeedback(String),
    /// These words take the place of the lesson; empty ones leave the trial without one. Only at
    /// [`Hooks::on_reflection_generated`]; an error elsewhere.
    ReplaceLesson(String),
}

/// Called at the turns of a run. Every method may be left out. Within a trial they come in this order: start, evaluated, and if
/// another trial follows, reflection generated; then end. Each comes before its event, and an error of one is handled as the
/// policy for hooks says.
///
/// ```
/// use reflexion::{BoxError, Control, Evaluation, Hooks};
///
/// struct Printing;
///
/// #[async_trait::async_trait]
/// impl Hooks for Printing {
///     async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<Control, BoxError> {
///         println!("trial {trial}: {}", evaluation.verdict.as_str());
///         Ok(Control::Continue)
///     }
/// }
/// ```
#[async_trait]
pub trait Hooks: Send + Sync {
    /// A trial is about to begin. Stopping here leaves no trace of it.
    async fn on_trial_start(&self, _trial: u32) -> Result<Control, BoxError> {
        Ok(Control::Continue)
    }

    /// An attempt was judged. Nothing was made of it yet, so this is where a person can put in a word.
    async fn on_evaluated(&self, _trajectory: &FinishedAttempt, _evaluation: &Evaluation) -> Result<Control, BoxError> {
        Ok(Control::Continue)
    }

    /// A lesson was written, and is about to be remembered.
    async fn on_reflection_generated(&self, _trial: u32, _reflection: &str) -> Result<Control, BoxError> {
        Ok(Control::Continue)
    }

    /// A trial is over, be it the last or not, and recorded.
    async fn on_trial_end(&self, _trial: u32, _evaluation: &Evaluation) -> Result<Control, BoxError> {
        Ok(Control::Continue)
    }
}

/// Brings the world back to where it was, so that a trial does not start in what the last one left. An asynchronous closure
/// that takes the number of the trial that follows is one.
///
/// ```
/// use reflexion::{BoxError, Environment};
///
/// fn takes(_: impl Environment) {}
/// takes(|_next_trial: u32| async { Ok::<(), BoxError>(()) });
/// ```
#[async_trait]
pub trait Environment: Send + Sync {
    /// Called before each trial but the first of a run, before that trial's start hook.
    async fn reset(&self, next_trial: u32) -> Result<(), BoxError>;
}

#[async_trait]
impl<F, Fut> Environment for F
where
    F: Fn(u32) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), BoxError>> + Send,
{
    async fn reset(&self, next_trial: u32) -> Result<(), BoxError> {
        self(next_trial).await
    }
}

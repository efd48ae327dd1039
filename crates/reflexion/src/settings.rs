//! What a run does where there is a choice.

use crate::{Budgets, StagePolicies, StuckDetection};

/// What the next trial is shown of the earlier ones: the four of the paper.
///
/// ```
/// use reflexion::Strategy;
///
/// assert!(Strategy::default().shows_lessons() && !Strategy::default().shows_last_attempt());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// Nothing: each trial is a fresh sample. The baseline to measure the others against.
    Nothing,
    /// The last attempt with its feedback. No lesson is written for this run's own use.
    LastAttempt,
    /// The lessons so far.
    #[default]
    Lessons,
    /// Both.
    LastAttemptAndLessons,
}

impl Strategy {
    /// Whether lessons are shown.
    ///
    /// ```
    /// use reflexion::Strategy;
    ///
    /// assert!(Strategy::LastAttemptAndLessons.shows_lessons() && !Strategy::LastAttempt.shows_lessons());
    /// ```
    pub fn shows_lessons(self) -> bool {
        matches!(self, Self::Lessons | Self::LastAttemptAndLessons)
    }

    /// Whether the last attempt is shown.
    ///
    /// ```
    /// use reflexion::Strategy;
    ///
    /// assert!(Strategy::LastAttempt.shows_last_attempt() && !Strategy::Nothing.shows_last_attempt());
    /// ```
    pub fn shows_last_attempt(self) -> bool {
        matches!(self, Self::LastAttempt | Self::LastAttemptAndLessons)
    }
}

/// Whether trials share a conversation.
///
/// ```
/// use reflexion::Isolation;
///
/// assert_eq!(Isolation::default(), Isolation::Fresh);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Isolation {
    /// Each trial begins a new one, so that what is shown of earlier trials is what the strategy says and no more.
    #[default]
    Fresh,
    /// Each trial goes on with the conversation of those before it, which grows without bound. Evaluator and reflector
    /// still see one trial alone.
    Shared,
}

/// Which answer a run gives in which no trial passed.
///
/// ```
/// use reflexion::AnswerPolicy;
///
/// # use reflexion::{AttemptContext, Evaluation, Reflexion, Trajectory, actor_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// # let builder = Reflexion::builder(actor).evaluator(|_: &Trajectory| Evaluation::fail("no"));
/// assert_eq!(AnswerPolicy::default(), AnswerPolicy::Best);
/// let strict = builder.answer_policy(AnswerPolicy::Error).build()?;
/// assert!(strict.run("task").await.is_err());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AnswerPolicy {
    /// The best trial's.
    #[default]
    Best,
    /// The last trial's.
    Last,
    /// None: the run ends with [`crate::RunError::NotPassed`], which carries the outcome with the best trial's answer.
    Error,
}

/// What an attempt that could not be judged means.
///
/// ```
/// use reflexion::{StopReason, UnknownPolicy};
///
/// # use reflexion::{AttemptContext, Evaluation, Reflexion, Trajectory, actor_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// # let builder = Reflexion::builder(actor).evaluator(|_: &Trajectory| Evaluation::unknown("no network"));
/// // The judge cannot tell, and another trial would not help it.
/// let outcome = builder.unknown_policy(UnknownPolicy::Stop).build()?.run("task").await?;
/// assert_eq!((outcome.stop, outcome.trials.len()), (StopReason::UnknownVerdict, 1));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UnknownPolicy {
    /// The same as a fail: the next trial follows.
    #[default]
    TreatAsFail,
    /// The run ends with the answer in hand.
    Stop,
}

/// What a run does where there is a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) max_trials: u32,
    pub(crate) success_score: Option<f64>,
    pub(crate) strategy: Strategy,
    pub(crate) isolation: Isolation,
    pub(crate) answer: AnswerPolicy,
    pub(crate) unknown: UnknownPolicy,
    pub(crate) budgets: Budgets,
    pub(crate) policies: StagePolicies,
    pub(crate) stuck: StuckDetection,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_trials: crate::DEFAULT_MAX_TRIALS,
            success_score: None,
            strategy: Strategy::default(),
            isolation: Isolation::default(),
            answer: AnswerPolicy::default(),
            unknown: UnknownPolicy::default(),
            budgets: Budgets::default(),
            policies: StagePolicies::default(),
            stuck: StuckDetection::default(),
        }
    }
}

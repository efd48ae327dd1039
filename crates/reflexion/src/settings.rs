//! What a run does where there is a choice.

use crate::{Budgets, StagePolicies, StuckDetection};

/// What the next trial is shown of the earlier ones: the four of the paper.
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
    pub fn shows_lessons(self) -> bool {
        matches!(self, Self::Lessons | Self::LastAttemptAndLessons)
    }

    /// Whether the last attempt is shown.
    pub fn shows_last_attempt(self) -> bool {
        matches!(self, Self::LastAttempt | Self::LastAttemptAndLessons)
    }
}

/// Whether trials share a conversation.
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

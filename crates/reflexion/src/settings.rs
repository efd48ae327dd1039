//! What a run does where there is a choice.

use derive_setters::Setters;

use crate::{Budgets, ReflexionBuilder, StagePolicies, StuckDetection};

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

/// What a run does where there is a choice; the builder has a setter for each.
#[derive(Debug, Clone, Copy, PartialEq, Setters)]
#[setters(strip_option, generate_delegates(ty = "ReflexionBuilder", field = "settings"))]
pub(crate) struct Settings {
    /// The most trials; 3 when not set. At least one is always made.
    pub(crate) max_trials: u32,
    /// A score from which on a trial succeeds whatever its verdict, in [0, 1]; only a pass succeeds when not set.
    pub(crate) success_score: Option<f64>,
    /// What the next trial is shown of the earlier ones; the lessons when not set.
    pub(crate) strategy: Strategy,
    /// Whether trials share a conversation; they do not when not set.
    pub(crate) isolation: Isolation,
    /// Which answer a run gives in which no trial passed; the best trial's when not set.
    pub(crate) answer_policy: AnswerPolicy,
    /// What an attempt that could not be judged means; a fail when not set.
    pub(crate) unknown_policy: UnknownPolicy,
    /// What a run may use.
    pub(crate) budgets: Budgets,
    /// What happens when a stage fails.
    pub(crate) policies: StagePolicies,
    /// When a run counts as stuck.
    pub(crate) stuck_detection: StuckDetection,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_trials: crate::DEFAULT_MAX_TRIALS,
            success_score: None,
            strategy: Strategy::default(),
            isolation: Isolation::default(),
            answer_policy: AnswerPolicy::default(),
            unknown_policy: UnknownPolicy::default(),
            budgets: Budgets::default(),
            policies: StagePolicies::default(),
            stuck_detection: StuckDetection::default(),
        }
    }
}

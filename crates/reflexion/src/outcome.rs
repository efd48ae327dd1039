//! What came of a run.

use reflect_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{BudgetKind, Stage, StuckReason, Trial, TrialSpent};

/// What came of a run: also of one that failed halfway, as far as it got.
///
/// ```
/// # use reflexion::{AttemptContext, Evaluation, FinishedAttempt, Reflexion, actor_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// # let reflexion = Reflexion::builder(actor).evaluator(|_: &FinishedAttempt| Evaluation::pass()).build()?;
/// let outcome = reflexion.run("What is 6 times 7?").await?;
/// assert!(outcome.passed() && outcome.troubles.is_empty());
/// assert_eq!((outcome.answer.as_str(), outcome.answered_by), ("42", Some(0)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The task as it was given.
    pub task: String,
    /// The answer: the one that passed, else the one that [`crate::AnswerPolicy`] names. Empty when no attempt was made.
    pub answer: String,
    /// Where in `trials` that answer is from.
    pub answered_by: Option<usize>,
    /// Why the run ended.
    pub stop: StopReason,
    /// Every trial that has an attempt, in order.
    pub trials: Vec<Trial>,
    /// Where in `trials` the best one is: a success, else the highest score, else unknown rather than fail, else the later.
    pub best: Option<usize>,
    /// The trial that was cut off before there was an attempt.
    pub unfinished: Option<Unfinished>,
    /// What went wrong and was put up with.
    pub troubles: Vec<Trouble>,
    /// When the run began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
}

impl Outcome {
    /// Whether a trial succeeded; then it is the last, and its answer is the run's.
    pub fn passed(&self) -> bool {
        self.trials.last().is_some_and(|trial| trial.success)
    }

    /// The best trial.
    pub fn best_trial(&self) -> Option<&Trial> {
        self.trials.get(self.best?)
    }

    /// The last trial.
    pub fn last_trial(&self) -> Option<&Trial> {
        self.trials.last()
    }

    /// What all trials took together, stage by stage.
    pub fn spent(&self) -> TrialSpent {
        self.trials.iter().fold(TrialSpent::default(), |sum, trial| sum.plus(trial.spent))
    }
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// A trial succeeded. This is said whenever one did, whatever limit was reached at the same time.
    Passed,
    /// No trial is left.
    TrialsUsedUp,
    /// A budget is spent.
    Budget(BudgetKind),
    /// The run's time is over.
    Time,
    /// The caller cancelled the run.
    Cancelled,
    /// The run goes in circles.
    Stuck(StuckReason),
    /// An attempt could not be judged, and the run was to stop then.
    UnknownVerdict,
    /// The evaluator failed.
    EvaluatorFailed,
    /// A hook said so, with its words.
    StoppedByHook(String),
    /// Another stage failed: the outcome is that of a [`crate::RunError`].
    Failed(Stage),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passed => f.write_str("a trial passed"),
            Self::TrialsUsedUp => f.write_str("no trial is left"),
            Self::Budget(kind) => write!(f, "the budget for {kind} is spent"),
            Self::Time => f.write_str("the run's time is over"),
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Stuck(reason) => write!(f, "the run is stuck: {reason}"),
            Self::UnknownVerdict => f.write_str("the attempt could not be judged"),
            Self::EvaluatorFailed => f.write_str("the evaluator failed"),
            Self::StoppedByHook(why) if why.is_empty() => f.write_str("a hook stopped the run"),
            Self::StoppedByHook(why) => write!(f, "a hook stopped the run: {why}"),
            Self::Failed(stage) => write!(f, "{stage} failed"),
        }
    }
}

/// A trial that was cut off before there was an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Its number.
    pub trial: u32,
    /// The stage that did not come to its end.
    pub stage: Stage,
}

/// Something that went wrong and was put up with, as the stage's policy says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The trial.
    pub trial: u32,
    /// The stage.
    pub stage: Stage,
    /// What happened, with its causes.
    pub error: String,
}

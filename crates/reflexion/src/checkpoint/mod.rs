//! Going on with a run that was cut off.

mod file;

use async_trait::async_trait;
use reflect_core::Timestamp;
use reflect_llm::Content;
use serde::{Deserialize, Serialize};

use crate::{BoxError, StopReason, Trial, Trouble, task::Task};

pub use file::CheckpointFile;

/// The versions of the format; each is one that an older reader would misread. The second has images and documents; without any, the
/// first is written.
const VERSIONS: [u32; 2] = [1, 2];

/// A run after one of its trials.
///
/// The unit is the trial. A checkpoint is written when a trial is over: after its end hook and its event, unless the run ends there with
/// an error, by time or by being cancelled. A run that is killed at any other moment makes the trial anew that was going on, from its
/// reset and its start hook on, because a trial that is half done has an environment that nobody can bring back; so hooks, listeners
/// and memories may see that trial twice. What follows is decided from the trials alone, so a resumed run ends as it would have
/// without the break, given that its actor, evaluator and reflector do the same.
///
/// ```
/// use reflexion::{Attempt, AttemptContext, BoxError, CheckpointFile, Evaluation, FinishedAttempt, Reflexion, actor_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// # let folder = tempfile::tempdir()?;
/// let file = CheckpointFile::new(folder.path().join("run.json"));
/// let actor = actor_fn(|_: String, context: AttemptContext| async move { Ok(Attempt::answer(format!("try {}", context.trial))) });
/// let reflexion = Reflexion::builder(actor)
///     .evaluator(|finished: &FinishedAttempt| if finished.trial < 2 { Evaluation::fail("no") } else { Evaluation::pass() })
///     .checkpoints(file.clone())
///     .build()?;
/// let outcome = match file.load()? {
///     Some(checkpoint) => reflexion.resume(checkpoint).await?,
///     None => reflexion.run("task").await?,
/// };
/// assert_eq!(outcome.answer, "try 2");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) version: u32,
    /// The words of the task.
    pub task: String,
    /// The task with the images and documents that came with it; empty where it is words alone.
    #[serde(default, skip_serializing_if = "no_parts")]
    pub inputs: Content,
    /// The trials that are over, in order.
    pub trials: Vec<Trial>,
    /// What went wrong and was put up with.
    pub troubles: Vec<Trouble>,
    /// When the run began.
    pub started_at: Timestamp,
    /// How long it ran, in milliseconds, breaks between a kill and a resume left out.
    pub elapsed_millis: u64,
    /// Why the run ended with the last of the trials, if it did. Limits are looked at anew: with more trials or a larger budget the run
    /// goes on.
    pub stop: Option<StopReason>,
}

/// A text that is no checkpoint that can be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It is no checkpoint at all.
    #[error("this is no checkpoint")]
    Unreadable(#[from] serde_json::Error),
    /// It is from a version that is not known here.
    #[error(
        "the checkpoint has version `{0}`, and only `1` and `2` can be read; resume it with the program that wrote it"
    )]
    Version(u32),
    /// Its trials are not numbered 1, 2, 3, …
    #[error("trial number {0} is missing in the checkpoint")]
    TrialMissing(usize),
}

impl Checkpoint {
    pub(crate) fn new(task: &Task, trials: &[Trial], troubles: &[Trouble], started_at: Timestamp) -> Self {
        Self {
            version: if no_parts(&task.inputs) { 1 } else { 2 },
            task: task.text.clone(),
            inputs: task.inputs.clone(),
            trials: trials.to_vec(),
            troubles: troubles.to_vec(),
            started_at,
            elapsed_millis: 0,
            stop: None,
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<String, CheckpointError> {
        Ok(serde_json::to_string(self)?)
    }

    /// From JSON, with a look at whether it can be resumed.
    pub fn from_json(text: &str) -> Result<Self, CheckpointError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_str(text)?;
        if !VERSIONS.contains(&version) {
            return Err(CheckpointError::Version(version));
        }
        let checkpoint: Self = serde_json::from_str(text)?;
        for (number, trial) in (1..).zip(&checkpoint.trials) {
            if usize::try_from(trial.number) != Ok(number) {
                return Err(CheckpointError::TrialMissing(number));
            }
        }
        Ok(checkpoint)
    }
}

fn no_parts(content: &Content) -> bool {
    content.0.is_empty()
}

/// Where checkpoints go.
///
/// ```
/// use reflexion::{BoxError, Checkpoint, CheckpointSink};
///
/// struct Printing;
///
/// #[async_trait::async_trait]
/// impl CheckpointSink for Printing {
///     async fn save(&self, checkpoint: &Checkpoint) -> Result<(), BoxError> {
///         println!("{}", checkpoint.to_json()?);
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait CheckpointSink: Send + Sync {
    /// Keeps it, in place of the one before.
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), BoxError>;
}

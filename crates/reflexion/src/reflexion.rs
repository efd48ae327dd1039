//! The loop, as it is configured and started.

use std::sync::Arc;

use reflect_core::Clock;
use reflect_llm::{ChatModel, Content};
use reflection::RunReflector;
use tokio_util::sync::CancellationToken;

use crate::{
    Actor, ChatActor, Checkpoint, CheckpointSink, Environment, EpisodicMemory, Evaluator, EventListener, Hooks,
    Outcome, ReflexionBuilder, RunError, run::Run, settings::Settings,
};

/// Tries a task, judges the attempt, learns from a failure, and tries again.
///
/// It holds no state of a run, so one can do any number of runs, also at the same time; a clone is the same one.
///
/// ```
/// use reflexion::{AttemptContext, BoxError, Evaluation, FinishedAttempt, Reflexion, actor_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let actor = actor_fn(|_task: String, context: AttemptContext| async move {
///     Ok(if context.lessons.is_empty() { "4" } else { "four" })
/// });
/// let reflexion = Reflexion::builder(actor)
///     .evaluator(|finished: &FinishedAttempt| match finished.answer() {
///         "four" => Evaluation::pass(),
///         _ => Evaluation::fail("write the number as a word"),
///     })
///     .max_trials(3)
///     .memory_size(3)
///     .build()?;
/// let outcome = reflexion.run("What is 2 + 2?").await?;
/// assert!(outcome.passed());
/// assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("four", 2));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Reflexion {
    parts: Arc<Parts>,
}

impl std::fmt::Debug for Reflexion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reflexion").field("settings", &self.parts.settings).finish_non_exhaustive()
    }
}

/// What a run is made of.
pub(crate) struct Parts {
    pub(crate) actor: Arc<dyn Actor>,
    pub(crate) evaluator: Arc<dyn Evaluator>,
    pub(crate) reflector: Arc<dyn RunReflector>,
    pub(crate) memory: Arc<dyn EpisodicMemory>,
    pub(crate) hooks: Vec<Arc<dyn Hooks>>,
    pub(crate) listeners: Vec<Arc<dyn EventListener>>,
    pub(crate) environment: Option<Arc<dyn Environment>>,
    pub(crate) checkpoints: Option<Arc<dyn CheckpointSink>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
}

impl Reflexion {
    /// Starts with who makes the attempts.
    pub fn builder(actor: impl Actor + 'static) -> ReflexionBuilder {
        ReflexionBuilder::new(Arc::new(actor))
    }

    /// Starts with one model that makes the attempts, judges them and writes the lessons. Each of the three can be named
    /// afterwards, but for the actor: to give it tools or instructions, hand a [`crate::ChatActor`] to [`Self::builder`] and the model to
    /// [`ReflexionBuilder::model`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use reflect_llm::{ScriptedModel, ScriptedStep};
    /// use reflexion::Reflexion;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
    /// let model = Arc::new(ScriptedModel::new([
    ///     ScriptedStep::text("Lisbon"),
    ///     ScriptedStep::text(r#"{"explanation": "that is right", "verdict": "pass", "confidence": 0.9}"#),
    /// ]));
    /// let reflexion = Reflexion::with_model(model).max_trials(3).memory_size(3).build()?;
    /// let outcome = reflexion.run("What is the capital of Portugal?").await?;
    /// assert!(outcome.passed());
    /// assert_eq!(outcome.answer, "Lisbon");
    /// # Ok(()) }
    /// ```
    pub fn with_model(model: Arc<dyn ChatModel>) -> ReflexionBuilder {
        Self::builder(ChatActor::new(Arc::clone(&model))).model(model)
    }

    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// Does a task: a text, or several inputs. Dropping the future cancels the run where it stands; use [`Self::run_until`] to get what it had reached.
    ///
    /// ```
    /// use reflexion::{AttemptContext, Evaluation, FinishedAttempt, Part, Reflexion, actor_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
    /// # let actor = actor_fn(|_: String, context: AttemptContext| async move { Ok(context.inputs.0[1].to_string()) });
    /// # let agent = Reflexion::builder(actor).evaluator(|_: &FinishedAttempt| Evaluation::pass()).build()?;
    /// let receipt: &[u8] = b"%PDF-1.7 ...";
    /// let outcome = agent.run([Part::text("What does this receipt add up to?"), Part::document(receipt)]).await?;
    /// # assert_eq!((outcome.task.as_str(), outcome.answer.as_str()), ("What does this receipt add up to?", "a document (application/pdf, 12 bytes)"));
    /// # Ok(()) }
    /// ```
    pub async fn run(&self, task: impl Into<Content>) -> Result<Outcome, RunError> {
        self.run_until(task, &CancellationToken::new()).await
    }

    /// Does a task until the token is cancelled: then the outcome is what was reached, and its stop reason says so.
    pub async fn run_until(&self, task: impl Into<Content>, cancel: &CancellationToken) -> Result<Outcome, RunError> {
        Run::start(&self.parts, task.into(), cancel.clone()).drive().await
    }

    /// Goes on after a checkpoint, to the outcome that the run would have had. Settings may have changed meanwhile; see
    /// [`Checkpoint`] for what is made anew.
    ///
    /// ```
    /// # use reflexion::{AttemptContext, CheckpointFile, Evaluation, FinishedAttempt, Reflexion, actor_fn};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
    /// # let folder = tempfile::tempdir()?;
    /// # let file = CheckpointFile::new(folder.path().join("run.json"));
    /// # let with_trials = |trials: u32| {
    /// #     let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
    /// #     let judge = |finished: &FinishedAttempt| match finished.trial {
    /// #         1 => Evaluation::fail("no"),
    /// #         _ => Evaluation::pass(),
    /// #     };
    /// #     Reflexion::builder(actor).evaluator(judge).checkpoints(file.clone()).max_trials(trials).build()
    /// # };
    /// # let (first, second) = (with_trials(1)?, with_trials(2)?);
    /// // The first allows one trial, the second two; both keep their checkpoints in `file`.
    /// assert!(!first.run("task").await?.passed());
    /// let checkpoint = file.load()?.ok_or("no trial was over")?;
    /// let outcome = second.resume(checkpoint).await?;
    /// assert!(outcome.passed());
    /// assert_eq!(outcome.trials.len(), 2);
    /// # Ok(()) }
    /// ```
    pub async fn resume(&self, checkpoint: Checkpoint) -> Result<Outcome, RunError> {
        self.resume_until(checkpoint, &CancellationToken::new()).await
    }

    /// The same until the token is cancelled.
    pub async fn resume_until(&self, checkpoint: Checkpoint, cancel: &CancellationToken) -> Result<Outcome, RunError> {
        Run::resume(&self.parts, checkpoint, cancel.clone()).drive().await
    }
}

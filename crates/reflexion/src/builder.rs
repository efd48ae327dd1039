//! Putting a run together.

use std::sync::Arc;

use reflect_core::Clock;
use reflect_llm::ChatModel;
use reflection::{BuiltinReflector, LlmReflector, RunReflector};

use crate::{
    Actor, CheckpointSink, Environment, EpisodicMemory, Evaluator, EventListener, Hooks, LatestLessons, Reflexion,
    SystemClock, evaluate::LlmEvaluator, reflexion::Parts, settings::Settings,
};

/// How many trials a run has when nobody says.
pub const DEFAULT_MAX_TRIALS: u32 = 3;

/// How many lessons a run remembers when nobody says.
pub const DEFAULT_MEMORY_SIZE: usize = 3;

/// A configuration that cannot be run.
///
/// ```
/// use reflexion::BuildError;
///
/// # use reflexion::{AttemptContext, Evaluation, FinishedAttempt, Reflexion, actor_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
/// # let builder = Reflexion::builder(actor).evaluator(|_: &FinishedAttempt| Evaluation::fail("no"));
/// let error = builder.success_score(1.5).build().unwrap_err();
/// assert_eq!(error, BuildError::NotAShare { name: "success_score", value: 1.5 });
/// assert_eq!(error.to_string(), "`success_score` is 1.5, which is not between 0 and 1");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nobody says whether an attempt passed.
    #[error("there is no evaluator: name one with `evaluator`, or a model with `model`")]
    NoEvaluator,
    /// A share that is not between 0 and 1.
    #[error("`{name}` is {value}, which is not between 0 and 1")]
    NotAShare {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A budget that is not a positive amount of money.
    #[error("a budget of {0} US dollars makes no sense: name a positive amount, or none for no limit")]
    Cost(f64),
    /// A budget that nothing fits in.
    #[error("a budget of 0 for `{0}` lets nothing run: name more, or none for no limit")]
    EmptyBudget(&'static str),
    /// A count below which nothing is repeated.
    #[error("`{name}` is {value}, and below {least} it would always hold: name more, or none to leave it out")]
    TooFew {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: u32,
        /// The least that makes sense.
        least: u32,
    },
}

/// Puts a [`Reflexion`] together.
///
/// ```
/// use std::time::Duration;
/// use reflexion::{
///     AnswerPolicy, Attempt, AttemptContext, BoxError, Budgets, Evaluation, Event, FinishedAttempt, Isolation, Reflexion, StagePolicies,
///     StagePolicy, Strategy, UnknownPolicy, actor_fn,
/// };
///
/// # fn main() -> Result<(), BoxError> {
/// let reflexion = Reflexion::builder(actor_fn(|task: String, _: AttemptContext| async move { Ok(Attempt::answer(task)) }))
///     .evaluator(|finished: &FinishedAttempt| Evaluation::fail("too short").scored(finished.answer().len() as f64 / 100.0))
///     .success_score(0.8)
///     .max_trials(5)
///     .memory_size(2)
///     .strategy(Strategy::LastAttemptAndLessons)
///     .isolation(Isolation::Fresh)
///     .answer_policy(AnswerPolicy::Best)
///     .unknown_policy(UnknownPolicy::Stop)
///     .budgets(Budgets { tokens: Some(100_000), time: Some(Duration::from_secs(300)), ..Default::default() })
///     .policies(StagePolicies { actor: StagePolicy::fail().retry(2, Duration::from_secs(1)), ..Default::default() })
///     .listener(|at: reflect_core::Timestamp, event: &Event| println!("{at} {}", event.name()))
///     .build()?;
/// assert!(Reflexion::builder(actor_fn(|_: String, _: AttemptContext| async { Ok("?") })).build().is_err());
/// # let _ = reflexion;
/// # Ok(()) }
/// ```
///
/// The order of the calls does not matter; of two that set the same thing the later holds, while hooks and listeners add up.
#[must_use]
pub struct ReflexionBuilder {
    actor: Arc<dyn Actor>,
    evaluator: Option<Arc<dyn Evaluator>>,
    reflector: Option<Arc<dyn RunReflector>>,
    model: Option<Arc<dyn ChatModel>>,
    memory: Option<Arc<dyn EpisodicMemory>>,
    memory_size: usize,
    hooks: Vec<Arc<dyn Hooks>>,
    listeners: Vec<Arc<dyn EventListener>>,
    environment: Option<Arc<dyn Environment>>,
    checkpoints: Option<Arc<dyn CheckpointSink>>,
    clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
}

impl ReflexionBuilder {
    pub(crate) fn new(actor: Arc<dyn Actor>) -> Self {
        Self {
            actor,
            evaluator: None,
            reflector: None,
            model: None,
            memory: None,
            memory_size: DEFAULT_MEMORY_SIZE,
            hooks: Vec::new(),
            listeners: Vec::new(),
            environment: None,
            checkpoints: None,
            clock: Arc::new(SystemClock),
            settings: Settings::default(),
        }
    }

    /// Who says whether an attempt passed. Without one, the model of [`Self::model`] is asked.
    pub fn evaluator(self, evaluator: impl Evaluator + 'static) -> Self {
        self.shared_evaluator(Arc::new(evaluator))
    }

    /// The same for an evaluator that others use, too.
    pub fn shared_evaluator(self, evaluator: Arc<dyn Evaluator>) -> Self {
        Self { evaluator: Some(evaluator), ..self }
    }

    /// Who writes the lessons: any reflector of runs, or any reflector at all by way of [`crate::any_reflector`]. Without one, the
    /// model of [`Self::model`] is asked, and without a model the reflector that follows rules.
    pub fn reflector(self, reflector: impl RunReflector + 'static) -> Self {
        self.shared_reflector(Arc::new(reflector))
    }

    /// The same for a reflector that others use, too.
    pub fn shared_reflector(self, reflector: Arc<dyn RunReflector>) -> Self {
        Self { reflector: Some(reflector), ..self }
    }

    /// The model that is asked where no evaluator or no reflector is named.
    pub fn model(self, model: Arc<dyn ChatModel>) -> Self {
        Self { model: Some(model), ..self }
    }

    /// How many lessons are remembered within the run, the newest; 3 when not set. With 0 no lesson is written or paid for. Means
    /// nothing beside [`Self::memory`].
    pub fn memory_size(self, lessons: usize) -> Self {
        Self { memory_size: lessons, ..self }
    }

    /// What remembers, in place of the newest few lessons of the run.
    pub fn memory(self, memory: impl EpisodicMemory + 'static) -> Self {
        Self { memory: Some(Arc::new(memory)), ..self }
    }

    /// Who looks on and steps in. Several are called in the order in which they were added; each sees what the one before made of it,
    /// and the first that stops the run is the last to be called.
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks.push(Arc::new(hooks));
        self
    }

    /// Who hears the events, such as [`crate::JsonLines`].
    pub fn listener(self, listener: impl EventListener + 'static) -> Self {
        self.shared_listener(Arc::new(listener))
    }

    /// The same for a listener that others use, too.
    pub fn shared_listener(mut self, listener: Arc<dyn EventListener>) -> Self {
        self.listeners.push(listener);
        self
    }

    /// What brings the world back to where it was between two trials.
    pub fn environment(self, environment: impl Environment + 'static) -> Self {
        Self { environment: Some(Arc::new(environment)), ..self }
    }

    /// Where a checkpoint goes after every trial.
    pub fn checkpoints(self, sink: impl CheckpointSink + 'static) -> Self {
        Self { checkpoints: Some(Arc::new(sink)), ..self }
    }

    /// The clock for the times in the outcome; the machine's clock when not set.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Checks the configuration, and is ready to run.
    pub fn build(self) -> Result<Reflexion, BuildError> {
        check(&self.settings)?;
        let judging = || self.model.clone().map(|model| Arc::new(LlmEvaluator::new(model)) as Arc<dyn Evaluator>);
        let evaluator = self.evaluator.or_else(judging).ok_or(BuildError::NoEvaluator)?;
        let reflector = self.reflector.unwrap_or_else(|| match self.model {
            Some(model) => Arc::new(LlmReflector::new(model, Default::default())),
            None => Arc::new(BuiltinReflector),
        });
        Ok(Reflexion::from_parts(Parts {
            actor: self.actor,
            evaluator,
            reflector,
            memory: self.memory.unwrap_or_else(|| Arc::new(LatestLessons::new(self.memory_size))),
            hooks: self.hooks,
            listeners: self.listeners,
            environment: self.environment,
            checkpoints: self.checkpoints,
            clock: self.clock,
            settings: Settings { max_trials: self.settings.max_trials.max(1), ..self.settings },
        }))
    }
}

fn check(settings: &Settings) -> Result<(), BuildError> {
    let share = |name: &'static str, value: f64| match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(BuildError::NotAShare { name, value }),
    };
    let at_least = |name: &'static str, value: Option<u32>, least: u32| match value {
        Some(value) if value < least => Err(BuildError::TooFew { name, value, least }),
        _ => Ok(()),
    };
    if let Some(score) = settings.success_score {
        share("success_score", score)?;
    }
    let budgets = &settings.budgets;
    if let Some(cost) = budgets.cost_usd.filter(|cost| cost.is_nan() || *cost <= 0.0) {
        return Err(BuildError::Cost(cost));
    }
    let empty = [
        ("turns_per_trial", budgets.turns_per_trial == Some(0)),
        ("turns", budgets.turns == Some(0)),
        ("tokens", budgets.tokens == Some(0)),
        ("time", budgets.time.is_some_and(|time| time.is_zero())),
    ];
    if let Some((name, _)) = empty.into_iter().find(|(_, is_empty)| *is_empty) {
        return Err(BuildError::EmptyBudget(name));
    }
    at_least("repeated_call", settings.stuck_detection.repeated_call, 2)?;
    at_least("same_answer", settings.stuck_detection.same_answer, 2)?;
    if let Some(plateau) = settings.stuck_detection.plateau {
        at_least("plateau.trials", Some(plateau.trials), 1)?;
        share("plateau.least_gain", plateau.least_gain)?;
    }
    Ok(())
}

//! Actors, evaluators, reflectors and listeners that tests need.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflect_core::{Clock, Lesson, Timestamp, WrittenBy, WrittenLesson};
use reflect_llm::Usage;
use reflection::{ReflectError, Reflected, ReviewedRun, RunReflector, Spent};
use reflexion::{
    Actor, Attempt, AttemptContext, BoxError, Control, Evaluation, Evaluator, Event, EventListener, FinishedAttempt,
    Hooks, Reflexion, ReflexionBuilder, actor_fn,
};

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.lines().iter().filter(|line| line.starts_with(what)).count()
    }
}

/// A clock that goes on by a second each time somebody looks.
#[derive(Default)]
pub(crate) struct TickingClock(Mutex<i64>);

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        let mut seconds = self.0.lock().unwrap();
        *seconds += 1;
        Timestamp::from_micros(*seconds * 1_000_000)
    }
}

/// A clock that stands still.
pub(crate) struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_000_000)
    }
}

/// Answers `answer 1`, `answer 2`, …
pub(crate) fn counting_actor() -> impl Actor {
    actor_fn(|_task: String, context: AttemptContext| async move { Ok(format!("answer {}", context.trial)) })
}

/// Writes down the prompts, and answers as [`counting_actor`] does.
pub(crate) fn listening_actor(log: &Log) -> impl Actor + use<> {
    let log = log.clone();
    actor_fn(move |_task: String, context: AttemptContext| {
        log.add(context.prompt.clone());
        async move { Ok(format!("answer {}", context.trial)) }
    })
}

/// Costs this much each time.
pub(crate) fn costly_actor(tokens: u64, cost_usd: f64, turns: u32) -> impl Actor {
    actor_fn(move |_task: String, context: AttemptContext| async move {
        let usage = Usage { input_tokens: tokens, output_tokens: 0, cost_usd: Some(cost_usd) };
        Ok(Attempt { usage, turns, ..Attempt::answer(format!("answer {}", context.trial)) })
    })
}

/// Passes from this trial on.
pub(crate) fn passing_from(trial: u32) -> impl Evaluator {
    move |finished: &FinishedAttempt| {
        if finished.trial >= trial {
            Evaluation::pass()
        } else {
            Evaluation::fail(format!("trial {} was wrong", finished.trial))
        }
    }
}

/// Never passes.
pub(crate) fn never_passing() -> impl Evaluator {
    passing_from(u32::MAX)
}

/// Fails with these scores, one for each trial.
pub(crate) fn scoring(scores: &'static [f64]) -> impl Evaluator {
    move |finished: &FinishedAttempt| Evaluation::fail("not yet").scored(scores[finished.trial as usize - 1])
}

/// A builder whose lessons are `lesson 1`, `lesson 2`, … in words that differ.
pub(crate) fn builder(actor: impl Actor + 'static) -> ReflexionBuilder {
    Reflexion::builder(actor).reflector(Numbering::default()).clock(Arc::new(StandingClock))
}

/// Writes a lesson for each run that names what it reads.
#[derive(Clone, Default)]
pub(crate) struct Numbering {
    pub(crate) seen: Arc<Mutex<Vec<ReviewedRun>>>,
}

#[async_trait]
impl RunReflector for Numbering {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new("numbering", "1")
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        self.seen.lock().unwrap().push(run.clone());
        let lesson = Lesson { guidance: format!("lesson of {}", run.final_response), ..Lesson::default() };
        Ok(WrittenLesson { lesson, written_by: self.written_by() }.into())
    }
}

/// Writes these lessons, one for each call, and then fails.
pub(crate) struct Saying {
    lessons: Mutex<Vec<Result<String, ReflectError>>>,
    pub(crate) calls: Log,
}

impl Saying {
    pub(crate) fn new(lessons: impl IntoIterator<Item = Result<&'static str, ReflectError>>) -> Self {
        let mut lessons: Vec<_> = lessons.into_iter().map(|lesson| lesson.map(str::to_owned)).collect();
        lessons.reverse();
        Self { lessons: Mutex::new(lessons), calls: Log::default() }
    }
}

#[async_trait]
impl RunReflector for Saying {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new("saying", "1")
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        self.calls.add(format!("asked with {} known", run.shown_lessons.len()));
        let next = self.lessons.lock().unwrap().pop();
        let guidance = next.unwrap_or_else(|| Err(ReflectError::Permanent("the script is over".into())))?;
        let usage = Usage { input_tokens: 10, output_tokens: 5, cost_usd: None };
        let lesson = Lesson { guidance, ..Lesson::default() };
        let written = WrittenLesson { lesson, written_by: self.written_by() };
        Ok(Reflected { spent: Spent { calls: 1, usage, millis: 0 }, ..written.into() })
    }
}

/// Hooks and a listener that write down what they are called with.
#[derive(Clone, Default)]
pub(crate) struct Witness {
    pub(crate) log: Log,
}

#[async_trait]
impl Hooks for Witness {
    async fn on_trial_start(&self, trial: u32) -> Result<Control, BoxError> {
        self.log.add(format!("hook start {trial}"));
        Ok(Control::Continue)
    }

    async fn on_evaluated(&self, finished: &FinishedAttempt, evaluation: &Evaluation) -> Result<Control, BoxError> {
        self.log.add(format!("hook evaluated {} {}", finished.trial, evaluation.verdict.as_str()));
        Ok(Control::Continue)
    }

    async fn on_reflection_generated(&self, trial: u32, reflection: &str) -> Result<Control, BoxError> {
        self.log.add(format!("hook reflection {trial} {reflection}"));
        Ok(Control::Continue)
    }

    async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<Control, BoxError> {
        self.log.add(format!("hook end {trial} {}", evaluation.verdict.as_str()));
        Ok(Control::Continue)
    }
}

impl Witness {
    /// Its other half.
    pub(crate) fn listener(&self) -> impl EventListener + use<> {
        let log = self.log.clone();
        move |_at: Timestamp, event: &Event| log.add(format!("event {} {}", event.name(), event.trial_number()))
    }
}

/// Hooks that answer by a closure: the place's name, the trial, and the text there is.
pub(crate) struct Answering<F>(pub(crate) F);

#[async_trait]
impl<F: Fn(&str, u32, &str) -> Result<Control, BoxError> + Send + Sync> Hooks for Answering<F> {
    async fn on_trial_start(&self, trial: u32) -> Result<Control, BoxError> {
        (self.0)("start", trial, "")
    }

    async fn on_evaluated(&self, finished: &FinishedAttempt, evaluation: &Evaluation) -> Result<Control, BoxError> {
        (self.0)("evaluated", finished.trial, &evaluation.feedback)
    }

    async fn on_reflection_generated(&self, trial: u32, reflection: &str) -> Result<Control, BoxError> {
        (self.0)("reflection", trial, reflection)
    }

    async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<Control, BoxError> {
        (self.0)("end", trial, &evaluation.feedback)
    }
}

//! Calling what was plugged in, and emitting events.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tracing::{Span, field::Empty};

use super::{Halt, Run};
use crate::{
    AfterRetries, BoxError, Checkpoint, Event, Stage, StageSpent, StopReason, Trial, Trouble, control::Broken,
    error::with_causes,
};

impl Run<'_> {
    /// Calls a stage as its policy says. `None`: it failed, and the run goes on without.
    pub(super) async fn call<'f, T>(
        &mut self,
        stage: Stage,
        trial: u32,
        spent: &mut StageSpent,
        make: impl Fn() -> BoxFuture<'f, Result<T, BoxError>> + Send + Sync,
    ) -> Result<Option<T>, Halt> {
        let policy = self.parts.settings.policies.of(stage);
        let begun = Instant::now();
        let result = self.guard.call(policy, &mut spent.tries, make).await;
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        spent.millis = spent.millis.saturating_add(millis);
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Broken::Failed(error)) if policy.then == AfterRetries::Degrade => {
                self.put_up_with(stage, trial, with_causes(&*error));
                Ok(None)
            }
            Err(broken) => Err(Halt::of(stage, broken)),
        }
    }

    pub(super) fn put_up_with(&mut self, stage: Stage, trial: u32, error: String) {
        tracing::warn!(trial_number = trial, %stage, %error, "the run goes on without");
        self.troubles.push(Trouble { trial, stage, error });
    }

    pub(super) async fn reset(&mut self, number: u32) -> Result<(), Halt> {
        let Some(environment) = self.parts.environment.as_deref().filter(|_| number > 1) else { return Ok(()) };
        let reset = || environment.reset(number);
        self.call(Stage::Reset, number, &mut StageSpent::default(), reset).await.map(|_| ())
    }

    pub(super) async fn remember(&mut self, trial: &mut Trial) -> Result<(), Halt> {
        let memory = &*self.parts.memory;
        let (task, trials, started_at) = (self.task.text.clone(), std::mem::take(&mut self.trials), self.started_at);
        let run = crate::RunSoFar { task: &task, trials: &trials, started_at };
        let remember = || memory.remember(&run, trial);
        let remembered = self.call(Stage::Memory, trial.number, &mut StageSpent::default(), remember).await;
        self.trials = trials;
        if let (Some(lesson), Some(Some(id))) = (&mut trial.lesson, remembered?) {
            lesson.id = Some(id);
        }
        Ok(())
    }

    /// Keeps the run after a trial. One that was cut off is not kept: resumed, it is made anew.
    pub(super) async fn save_checkpoint(&mut self, number: u32, halt: &Option<Halt>) -> Result<(), Halt> {
        let stop = match halt {
            None => None,
            Some(Halt::Stop(StopReason::Time | StopReason::Cancelled) | Halt::Failed { .. }) => return Ok(()),
            Some(Halt::Stop(stop)) => Some(stop.clone()),
        };
        let Some(sink) = self.parts.checkpoints.as_deref() else { return Ok(()) };
        let elapsed = self.elapsed_before.saturating_add(self.begun.elapsed());
        let checkpoint = Checkpoint {
            elapsed_millis: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            stop,
            ..Checkpoint::new(&self.task, &self.trials, &self.troubles, self.started_at)
        };
        let save = || sink.save(&checkpoint);
        self.call(Stage::Checkpoint, number, &mut StageSpent::default(), save).await.map(|_| ())
    }

    pub(super) fn tell_end(&self, number: u32) {
        let Some(trial) = self.trials.last() else { return };
        let span = Span::current();
        span.record("success", trial.success);
        if let Some(score) = trial.evaluation.score {
            span.record("score", score);
        }
        self.emit(&Event::TrialEnd {
            trial_number: number,
            success: trial.success,
            score: trial.evaluation.score,
            feedback: trial.evaluation.feedback.clone(),
        });
    }

    pub(super) fn emit(&self, event: &Event) {
        tracing::info!(trial_number = event.trial_number(), "{}", event.name());
        let at = self.parts.clock.now();
        for listener in &self.parts.listeners {
            if catch_unwind(AssertUnwindSafe(|| listener.on_event(at, event))).is_err() {
                tracing::warn!(event = event.name(), "a listener panicked");
            }
        }
    }
}

/// The span of a stage. Names are fixed when the program is built, so each has a line.
pub(super) fn span(stage: Stage) -> Span {
    macro_rules! named {
        ($name:literal) => {
            tracing::info_span!($name, input_tokens = Empty, output_tokens = Empty, cost_usd = Empty, millis = Empty)
        };
    }
    match stage {
        Stage::Actor => named!("act"),
        Stage::Evaluator => named!("evaluate"),
        Stage::Reflector => named!("reflect"),
        _ => Span::none(),
    }
}

/// Writes what a stage took onto its span.
pub(super) fn record(span: &Span, spent: &StageSpent) {
    span.record("input_tokens", spent.usage.input_tokens);
    span.record("output_tokens", spent.usage.output_tokens);
    if let Some(cost) = spent.usage.cost_usd {
        span.record("cost_usd", cost);
    }
    span.record("millis", spent.millis);
}

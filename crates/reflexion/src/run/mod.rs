//! One run: the state of its trials, and the order of their stages.
//!
//! ```text
//! limits → reset → start hook → trial_start → recall → act → evaluate → evaluated hook
//!   → success, or a reason to stop, or: reflect → reflection hook → reflection_generated
//!   → remember → record → end hook → trial_end → checkpoint → the next trial
//! ```
//!
//! Each stage has a file. What a stage finds to end the run with is a [`Halt`].

mod act;
mod finish;
mod halt;
mod hook;
mod judge;
mod learn;
mod stage;

use std::time::Duration;

use reflect_core::Timestamp;
use reflect_llm::Content;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    BudgetKind, Checkpoint, Event, Outcome, RunError, RunSoFar, Stage, StopReason, Trial, Trouble, Unfinished,
    control::Guard, reflexion::Parts, task::Task,
};
use halt::Halt;

/// A run and its state.
pub(crate) struct Run<'a> {
    parts: &'a Parts,
    task: Task,
    trials: Vec<Trial>,
    troubles: Vec<Trouble>,
    unfinished: Option<Unfinished>,
    started_at: Timestamp,
    begun: Instant,
    /// How long it ran before it was resumed.
    elapsed_before: Duration,
    guard: Guard,
    /// Why it had ended when the checkpoint was written.
    stopped: Option<StopReason>,
}

impl<'a> Run<'a> {
    pub(crate) fn start(parts: &'a Parts, task: Content, cancel: CancellationToken) -> Self {
        let checkpoint = Checkpoint::new(&Task::of(task), &[], &[], parts.clock.now());
        Self::resume(parts, checkpoint, cancel)
    }

    pub(crate) fn resume(parts: &'a Parts, checkpoint: Checkpoint, cancel: CancellationToken) -> Self {
        let begun = Instant::now();
        let elapsed_before = Duration::from_millis(checkpoint.elapsed_millis);
        let time = parts.settings.budgets.time.map(|time| time.saturating_sub(elapsed_before));
        // A time too far off to be an `Instant` is no deadline.
        let deadline = time.and_then(|time| begun.checked_add(time));
        Self {
            parts,
            task: Task { text: checkpoint.task, inputs: checkpoint.inputs },
            trials: checkpoint.trials,
            troubles: checkpoint.troubles,
            unfinished: None,
            started_at: checkpoint.started_at,
            begun,
            elapsed_before,
            guard: Guard { cancel, deadline },
            stopped: checkpoint.stop,
        }
    }

    /// Trial after trial, to the end.
    pub(crate) async fn drive(mut self) -> Result<Outcome, RunError> {
        if let Some(stop) = self.already_over() {
            return self.finish(stop);
        }
        loop {
            let number = u32::try_from(self.trials.len()).unwrap_or(u32::MAX).saturating_add(1);
            let span = tracing::info_span!(
                "trial",
                trial_number = number,
                success = tracing::field::Empty,
                score = tracing::field::Empty
            );
            match self.trial(number).instrument(span).await {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => return self.finish(stop),
                Err(Halt::Failed { stage, source }) => return Err(self.fail(stage, number, source)),
            }
        }
    }

    /// Whether a resumed run had come to its end. Limits are looked at anew, for they may have been raised.
    fn already_over(&mut self) -> Option<StopReason> {
        match self.stopped.take() {
            Some(StopReason::TrialsUsedUp | StopReason::Budget(_) | StopReason::Stuck(_)) | None => {
                let trials: Vec<&Trial> = self.trials.iter().collect();
                if trials.is_empty() { None } else { self.limit_reached(&trials) }
            }
            stopped => stopped,
        }
    }

    async fn trial(&mut self, number: u32) -> Result<(), Halt> {
        self.check_limits()?;
        self.reset(number).await?;
        self.start_hook(number).await?;
        self.emit(&Event::TrialStart { trial_number: number });
        let mut trial = match self.act(number).await {
            Ok(trial) => trial,
            Err(halt) => {
                self.unfinished = Some(Unfinished { trial: number, stage: halt.stage().unwrap_or(Stage::Actor) });
                let feedback = format!("the trial was cut off: {}", halt.text());
                self.emit(&Event::TrialEnd { trial_number: number, success: false, score: None, feedback });
                return Err(halt);
            }
        };
        let mut halt = self.judge(&mut trial).await.err();
        if halt.is_none() && self.wants_lessons() {
            halt = self.learn(&mut trial).await.err();
        }
        trial.ended_at = self.parts.clock.now();
        if !halt::failed(&halt) {
            let remembered = self.remember(&mut trial).await;
            self.settle(&mut halt, Stage::Memory, number, remembered);
        }
        self.trials.push(trial);
        if !halt::failed(&halt) {
            let ended = self.end_hook(number).await;
            self.settle(&mut halt, Stage::Hook, number, ended);
        }
        self.tell_end(number);
        let saved = self.save_checkpoint(number, &halt).await;
        self.settle(&mut halt, Stage::Checkpoint, number, saved);
        halt.map_or(Ok(()), Err)
    }

    /// Of two reasons to end the run the first holds, but an error beats a reason to stop. A stage that was cut off after the end was
    /// decided is at least named.
    fn settle(&mut self, halt: &mut Option<Halt>, stage: Stage, number: u32, later: Result<(), Halt>) {
        let Err(later) = later else { return };
        match (&*halt, &later) {
            (None, _) | (Some(Halt::Stop(_)), Halt::Failed { .. }) => *halt = Some(later),
            (Some(_), Halt::Stop(StopReason::Time | StopReason::Cancelled)) => {
                self.put_up_with(stage, number, format!("it was cut off: {}", later.text()));
            }
            (Some(_), _) => {}
        }
    }

    /// What ends a run before a trial.
    fn check_limits(&self) -> Result<(), Halt> {
        if let Some(broken) = self.guard.ended() {
            return Err(Halt::of(Stage::Actor, broken));
        }
        let left = self.parts.settings.budgets.left(&self.trials);
        // Images and documents are sent anew in each trial: one that they alone would take beyond the budget is not begun.
        let too_large = left.tokens.is_some_and(|tokens| self.task.media_tokens() > tokens);
        match left.spent().or(too_large.then_some(BudgetKind::Tokens)) {
            Some(kind) => Err(Halt::Stop(StopReason::Budget(kind))),
            None => Ok(()),
        }
    }

    /// What ends a run after these trials, of which the last did not succeed.
    fn limit_reached(&self, trials: &[&Trial]) -> Option<StopReason> {
        let settings = &self.parts.settings;
        if trials.len() >= usize::try_from(settings.max_trials).unwrap_or(usize::MAX) {
            return Some(StopReason::TrialsUsedUp);
        }
        let spent = settings.budgets.left(trials.iter().copied()).spent();
        spent.map(StopReason::Budget).or_else(|| settings.stuck_detection.look_at(trials).map(StopReason::Stuck))
    }

    fn so_far(&self) -> RunSoFar<'_> {
        RunSoFar { task: &self.task.text, trials: &self.trials, started_at: self.started_at }
    }
}

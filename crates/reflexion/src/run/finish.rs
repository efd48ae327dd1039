//! The end of a run.

use super::Run;
use crate::{AnswerPolicy, BoxError, Outcome, RunError, Stage, StopReason, best};

impl Run<'_> {
    pub(super) fn finish(self, stop: StopReason) -> Result<Outcome, RunError> {
        let error_wanted = self.parts.settings.answer_policy == AnswerPolicy::Error;
        let outcome = self.outcome(stop);
        if error_wanted && !outcome.passed() {
            return Err(RunError::NotPassed { outcome: Box::new(outcome) });
        }
        Ok(outcome)
    }

    pub(super) fn fail(self, stage: Stage, trial: u32, source: BoxError) -> RunError {
        let stop = if stage == Stage::Evaluator { StopReason::EvaluatorFailed } else { StopReason::Failed(stage) };
        RunError::Stage { stage, trial, source, outcome: Box::new(self.outcome(stop)) }
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let best = best::best(&self.trials);
        let last = self.trials.len().checked_sub(1);
        let answered_by = match (&stop, self.parts.settings.answer_policy) {
            (StopReason::Passed, _) => best,
            // Nobody can say whether the answer in hand is better or worse than those before.
            (StopReason::UnknownVerdict | StopReason::EvaluatorFailed, _) => last,
            (_, AnswerPolicy::Last) => last,
            (_, AnswerPolicy::Best | AnswerPolicy::Error) => best,
        };
        let answer = answered_by.and_then(|index| self.trials.get(index)).map(|trial| trial.attempt.answer.clone());
        Outcome {
            task: self.task.text,
            answer: answer.unwrap_or_default(),
            answered_by,
            stop,
            trials: self.trials,
            best,
            unfinished: self.unfinished,
            troubles: self.troubles,
            started_at: self.started_at,
            ended_at: self.parts.clock.now(),
        }
    }
}

//! Judging the attempt, and what follows from it.

use reflection::Verdict;
use tracing::Instrument;

use super::{Halt, Run, stage};
use crate::{AttemptEnd, Control, Evaluation, Stage, StopReason, Trial, UnknownPolicy, control::Broken, repeated_call};

impl Run<'_> {
    /// The trial with its evaluation; a halt when no trial is to follow.
    pub(super) async fn judge(&mut self, trial: &mut Trial) -> Result<(), Halt> {
        if Self::is_to_be_judged(trial) {
            trial.evaluation = self.evaluate(trial).await?;
        }
        trial.success = self.is_success(&trial.evaluation);
        if !trial.success {
            self.add_hint(trial);
        }
        let stopped = match self.evaluated_hook(trial).await {
            // A pass in hand beats a limit that was reached while a hook looked at it.
            Err(Halt::Stop(StopReason::Time | StopReason::Cancelled)) if trial.success => None,
            stopped => stopped?,
        };
        match self.stop_after(trial, stopped) {
            Some(stop) => Err(Halt::Stop(stop)),
            None => Ok(()),
        }
    }

    async fn evaluate(&mut self, trial: &mut Trial) -> Result<Evaluation, Halt> {
        let finished = trial.finished_attempt(self.task.content());
        let evaluator = &*self.parts.evaluator;
        let span = stage::span(Stage::Evaluator);
        let evaluate = || evaluator.evaluate(&finished);
        let spent = &mut trial.spent.evaluate;
        let called = self.call(Stage::Evaluator, trial.number, spent, evaluate).instrument(span.clone()).await;
        if let Ok(Some(evaluation)) = &called {
            spent.usage = evaluation.usage;
        }
        stage::record(&span, spent);
        match called? {
            // A score that is no number says nothing; one outside its range is brought there.
            Some(evaluation) => Ok(match evaluation.score {
                Some(score) if score.is_nan() => Evaluation { score: None, ..evaluation },
                Some(score) => evaluation.scored(score),
                None => evaluation,
            }),
            None => {
                trial.evaluation = Evaluation::unknown(self.last_trouble("the evaluator failed"));
                Err(Halt::Stop(StopReason::EvaluatorFailed))
            }
        }
    }

    fn is_success(&self, evaluation: &Evaluation) -> bool {
        let enough = |score: f64| self.parts.settings.success_score.is_some_and(|least| score >= least);
        evaluation.passed() || evaluation.score.is_some_and(enough)
    }

    /// Says in the feedback why a trial that did not succeed ended, or that it went in circles: nobody else would.
    fn add_hint(&self, trial: &mut Trial) {
        let repeated = || repeated_call(&trial.attempt.messages, self.parts.settings.stuck_detection.repeated_call?);
        let hint = match &trial.attempt.end {
            AttemptEnd::Answered => repeated(),
            AttemptEnd::Limit(which) => Some(format!("the attempt was ended by a limit: {which}")),
            AttemptEnd::Stuck(how) => Some(format!("the attempt went in circles: {how}")),
        };
        let Some(hint) = hint else { return };
        let feedback = &mut trial.evaluation.feedback;
        if !feedback.is_empty() {
            feedback.push('\n');
        }
        feedback.push_str(&hint);
    }

    async fn evaluated_hook(&mut self, trial: &mut Trial) -> Result<Option<String>, Halt> {
        let parts = self.parts;
        if parts.hooks.is_empty() {
            return Ok(None);
        }
        let finished = trial.finished_attempt(self.task.content());
        for hook in &parts.hooks {
            let evaluation = trial.evaluation.clone();
            let control = self.hook(trial.number, || hook.on_evaluated(&finished, &evaluation)).await?;
            match control {
                Control::Continue => {}
                Control::Stop(why) => return Ok(Some(why)),
                Control::ReplaceFeedback(feedback) => trial.evaluation.feedback = feedback,
                other => self.misplaced(trial.number, &other, "on_evaluated")?,
            }
        }
        Ok(None)
    }

    fn stop_after(&self, trial: &Trial, stopped_by_hook: Option<String>) -> Option<StopReason> {
        let settings = &self.parts.settings;
        if trial.success {
            return Some(StopReason::Passed);
        }
        if let Some(why) = stopped_by_hook {
            return Some(StopReason::StoppedByHook(why));
        }
        let is_unknown = matches!(trial.evaluation.verdict, Verdict::Unknown(_));
        if is_unknown && settings.unknown_policy == UnknownPolicy::Stop {
            return Some(StopReason::UnknownVerdict);
        }
        let trials: Vec<&Trial> = self.trials.iter().chain([trial]).collect();
        // A reflection that would be cut off is not begun.
        self.limit_reached(&trials).or_else(|| match self.guard.ended()? {
            Broken::Cancelled => Some(StopReason::Cancelled),
            Broken::Time | Broken::Failed(_) => Some(StopReason::Time),
        })
    }
}

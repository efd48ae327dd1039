//! Calling hooks.

use futures_util::future::BoxFuture;

use super::{Halt, Run};
use crate::{AfterRetries, BoxError, Control, Stage, StageSpent, StopReason};

impl Run<'_> {
    pub(super) async fn hook<'f>(
        &mut self,
        trial: u32,
        make: impl Fn() -> BoxFuture<'f, Result<Control, BoxError>> + Send + Sync,
    ) -> Result<Control, Halt> {
        let control = self.call(Stage::Hook, trial, &mut StageSpent::default(), make).await?;
        Ok(control.unwrap_or_default())
    }

    /// What a hook wants that this hook cannot have: a mistake of whoever wrote it.
    pub(super) fn misplaced(&mut self, trial: u32, control: &Control, hook: &str) -> Result<(), Halt> {
        let error = format!("`{control:?}` means nothing in `{hook}`; see `Control` for where it does");
        if self.parts.settings.policies.hook.then == AfterRetries::Degrade {
            self.put_up_with(Stage::Hook, trial, error);
            return Ok(());
        }
        Err(Halt::Failed { stage: Stage::Hook, source: error.into() })
    }

    pub(super) async fn start_hook(&mut self, number: u32) -> Result<(), Halt> {
        let parts = self.parts;
        for hook in &parts.hooks {
            match self.hook(number, || hook.on_trial_start(number)).await? {
                Control::Continue => {}
                Control::Stop(why) => return Err(Halt::Stop(StopReason::StoppedByHook(why))),
                other => self.misplaced(number, &other, "on_trial_start")?,
            }
        }
        Ok(())
    }

    /// The hook at the end of the trial that was recorded last.
    pub(super) async fn end_hook(&mut self, number: u32) -> Result<(), Halt> {
        let parts = self.parts;
        for hook in &parts.hooks {
            let Some(evaluation) = self.trials.last().map(|trial| trial.evaluation.clone()) else { return Ok(()) };
            match self.hook(number, || hook.on_trial_end(number, &evaluation)).await? {
                Control::Continue => {}
                Control::Stop(why) => return Err(Halt::Stop(StopReason::StoppedByHook(why))),
                Control::ReplaceFeedback(feedback) => {
                    if let Some(trial) = self.trials.last_mut() {
                        trial.evaluation.feedback = feedback;
                    }
                }
                other => self.misplaced(number, &other, "on_trial_end")?,
            }
        }
        Ok(())
    }
}

//! What happens when a stage fails.

use std::time::Duration;

use reflect_core::Backoff;

use crate::Stage;

/// What happens when a stage fails: how often it is tried again, how long a try may take, and what then.
///
/// ```
/// use std::time::Duration;
/// use reflexion::StagePolicy;
///
/// let policy = StagePolicy::degrade().retry(2, Duration::from_millis(500)).within(Duration::from_secs(30));
/// assert_eq!(policy.retries, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagePolicy {
    /// How often a try that failed is followed by another.
    pub retries: u32,
    /// How long to wait before the first of those; the wait doubles each time, up to a minute.
    pub first_wait: Duration,
    /// How long one try may take; longer is a failure.
    pub within: Option<Duration>,
    /// What happens when no try is left.
    pub then: AfterRetries,
}

/// What happens when no try is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterRetries {
    /// The run ends with a [`crate::RunError`].
    Fail,
    /// The run goes on with less, and its outcome says so under `troubles`:
    ///
    /// - actor: the trial counts as failed, with an empty answer and the error as feedback;
    /// - evaluator: the verdict is unknown, and the run ends with the answer in hand;
    /// - reflector: the feedback is the lesson;
    /// - hook: it is passed over;
    /// - memory: the newest lessons of the run itself are recalled, or the trial is not remembered;
    /// - reset, checkpoint: it is passed over.
    Degrade,
}

impl StagePolicy {
    /// The longest wait between two tries.
    const LONGEST_WAIT: Duration = Duration::from_secs(60);

    /// The run ends with an error.
    pub fn fail() -> Self {
        Self { retries: 0, first_wait: Duration::ZERO, within: None, then: AfterRetries::Fail }
    }

    /// The run goes on with less.
    pub fn degrade() -> Self {
        Self { then: AfterRetries::Degrade, ..Self::fail() }
    }

    /// The same after this many further tries. What says of itself that trying again changes nothing is not tried again.
    #[must_use]
    pub fn retry(self, times: u32, first_wait: Duration) -> Self {
        Self { retries: times, first_wait, ..self }
    }

    /// The same with a limit on the time of each try.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { within: Some(limit), ..self }
    }

    /// How long to wait after this many failures.
    pub(crate) fn wait_after(&self, failures: u32) -> Duration {
        Backoff::new(self.first_wait, Self::LONGEST_WAIT).wait(failures)
    }
}

/// A policy for each stage. The defaults never lose an answer that is in hand: an error of actor, evaluator, hook, reset or
/// checkpoint ends the run with an error that carries the outcome so far; a lesson or a memory that is not to be had is done
/// without.
///
/// ```
/// use std::time::Duration;
/// use reflexion::{StagePolicies, StagePolicy};
///
/// let actor = StagePolicy::degrade().retry(2, Duration::from_secs(1));
/// let policies = StagePolicies { actor, ..StagePolicies::default() };
/// assert_eq!(policies.evaluator, StagePolicy::fail());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagePolicies {
    /// The actor: fail.
    pub actor: StagePolicy,
    /// The evaluator: fail.
    pub evaluator: StagePolicy,
    /// The reflector: degrade.
    pub reflector: StagePolicy,
    /// Hooks: fail.
    pub hook: StagePolicy,
    /// The memory: degrade.
    pub memory: StagePolicy,
    /// The reset of the environment: fail.
    pub reset: StagePolicy,
    /// Writing checkpoints: fail.
    pub checkpoint: StagePolicy,
}

impl StagePolicies {
    pub(crate) fn of(&self, stage: Stage) -> &StagePolicy {
        match stage {
            Stage::Actor => &self.actor,
            Stage::Evaluator => &self.evaluator,
            Stage::Reflector => &self.reflector,
            Stage::Hook => &self.hook,
            Stage::Memory => &self.memory,
            Stage::Reset => &self.reset,
            Stage::Checkpoint => &self.checkpoint,
        }
    }
}

impl Default for StagePolicies {
    fn default() -> Self {
        let (fail, degrade) = (StagePolicy::fail(), StagePolicy::degrade());
        Self {
            actor: fail,
            evaluator: fail,
            reflector: degrade,
            hook: fail,
            memory: degrade,
            reset: fail,
            checkpoint: fail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let policy = StagePolicy::fail().retry(u32::MAX, Duration::from_secs(1));
        assert_eq!([1, 3, 7, u32::MAX].map(|failures| policy.wait_after(failures).as_secs()), [1, 4, 60, 60]);
        assert_eq!(StagePolicy::fail().wait_after(5), Duration::ZERO);
    }
}

//! The lessons of the best trials.

use async_trait::async_trait;

use super::{EpisodicMemory, Keeps, RememberedLesson, RunSoFar};
use crate::{BoxError, best};

/// Recalls the lessons of the trials that went best, so that a bad trial late in the run does not push out what a good one
/// taught. Without scores it is the same as [`crate::LatestLessons`].
///
/// ```
/// use reflexion::{BestLessons, EpisodicMemory, Keeps};
///
/// assert_eq!(BestLessons::new(2).keeps(), Keeps::ThisRun);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestLessons {
    capacity: usize,
}

impl BestLessons {
    /// Room for this many. With room for none, no lesson is written, shown or paid for.
    ///
    /// ```
    /// use reflexion::BestLessons;
    ///
    /// assert_ne!(BestLessons::new(2), BestLessons::new(5));
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { capacity }
    }

    /// What it recalls, oldest first.
    ///
    /// ```
    /// use reflexion::{BestLessons, RunSoFar};
    ///
    /// # use reflexion::{AttemptContext, Evaluation, Reflexion, Trajectory, actor_fn};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
    /// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
    /// # let reflexion = Reflexion::builder(actor).evaluator(|_: &Trajectory| Evaluation::fail("no")).build()?;
    /// # let outcome = reflexion.run("task").await?;
    /// let run = RunSoFar { task: &outcome.task, trials: &outcome.trials, started_at: outcome.started_at };
    /// assert_eq!(BestLessons::new(1).select(&run).len(), 1);
    /// assert!(BestLessons::new(0).select(&run).is_empty());
    /// # Ok(()) }
    /// ```
    pub fn select(&self, run: &RunSoFar<'_>) -> Vec<RememberedLesson> {
        let trial_of = |lesson: &RememberedLesson| run.trials.iter().find(|trial| Some(trial.number) == lesson.trial);
        let mut lessons = run.lessons();
        // Stable, so that of two equal ones the later stays behind and is kept.
        lessons.sort_by(|one, other| match (trial_of(one), trial_of(other)) {
            (Some(one), Some(other)) => best::compare(one, other),
            _ => std::cmp::Ordering::Equal,
        });
        lessons.drain(..lessons.len().saturating_sub(self.capacity));
        lessons.sort_by_key(|lesson| lesson.trial);
        lessons
    }
}

#[async_trait]
impl EpisodicMemory for BestLessons {
    fn keeps(&self) -> Keeps {
        if self.capacity == 0 { Keeps::Nothing } else { Keeps::ThisRun }
    }

    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        Ok(self.select(run))
    }
}

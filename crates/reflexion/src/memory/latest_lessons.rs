//! The bounded queue: the newest lessons of the run.

use async_trait::async_trait;

use super::{EpisodicMemory, Keeps, RememberedLesson, RunSoFar};
use crate::BoxError;

/// Recalls the newest lessons of the run, and forgets the oldest first. The default, with room for 3.
///
/// ```
/// use reflexion::{EpisodicMemory, Keeps, LatestLessons};
///
/// assert_eq!(LatestLessons::new(3).keeps(), Keeps::ThisRun);
/// assert_eq!(LatestLessons::new(0).keeps(), Keeps::Nothing);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatestLessons {
    capacity: usize,
}

impl LatestLessons {
    /// Room for this many. With room for none, no lesson is written, shown or paid for.
    ///
    /// ```
    /// use reflexion::LatestLessons;
    ///
    /// assert_ne!(LatestLessons::new(2), LatestLessons::new(5));
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { capacity }
    }

    /// What it recalls, oldest first.
    ///
    /// ```
    /// use reflexion::{LatestLessons, RunSoFar};
    ///
    /// # use reflexion::{AttemptContext, Evaluation, Reflexion, Trajectory, actor_fn};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
    /// # let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("42") });
    /// # let reflexion = Reflexion::builder(actor).evaluator(|_: &Trajectory| Evaluation::fail("no")).build()?;
    /// # let outcome = reflexion.run("task").await?;
    /// let run = RunSoFar { task: &outcome.task, trials: &outcome.trials, started_at: outcome.started_at };
    /// assert_eq!(LatestLessons::new(1).select(&run).len(), 1);
    /// assert!(LatestLessons::new(0).select(&run).is_empty());
    /// # Ok(()) }
    /// ```
    pub fn select(&self, run: &RunSoFar<'_>) -> Vec<RememberedLesson> {
        let mut lessons = run.lessons();
        lessons.drain(..lessons.len().saturating_sub(self.capacity));
        lessons
    }
}

impl Default for LatestLessons {
    /// Room for 3.
    fn default() -> Self {
        Self::new(crate::DEFAULT_MEMORY_SIZE)
    }
}

#[async_trait]
impl EpisodicMemory for LatestLessons {
    fn keeps(&self) -> Keeps {
        if self.capacity == 0 { Keeps::Nothing } else { Keeps::ThisRun }
    }

    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        Ok(self.select(run))
    }
}

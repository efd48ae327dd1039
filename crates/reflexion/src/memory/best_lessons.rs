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
    pub fn new(capacity: usize) -> Self {
        Self { capacity }
    }

    /// What it recalls, oldest first.
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

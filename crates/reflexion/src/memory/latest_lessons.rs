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
    pub fn new(capacity: usize) -> Self {
        Self { capacity }
    }

    /// What it recalls, oldest first.
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

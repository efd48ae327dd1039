//! What a run remembers from trial to trial, and beyond.

mod best_lessons;
mod latest_lessons;
#[cfg(feature = "reflect")]
mod project;
mod remembered;

use async_trait::async_trait;
use reflect_core::Timestamp;

use crate::{BoxError, Trial};

pub use best_lessons::BestLessons;
pub use latest_lessons::LatestLessons;
#[cfg(feature = "reflect")]
pub use project::ProjectMemory;
pub use remembered::RememberedLesson;

/// A run so far, as memories see it. The run itself keeps its trials with their lessons, so a memory needs no state of its own
/// for them: it can serve any number of runs at a time, and a resumed run remembers what it had learned.
#[derive(Debug, Clone, Copy)]
pub struct RunSoFar<'a> {
    /// The task as it was given.
    pub task: &'a str,
    /// The trials that are over, in order.
    pub trials: &'a [Trial],
    /// When the run began.
    pub started_at: Timestamp,
}

impl RunSoFar<'_> {
    /// The lessons of this run, oldest first. One that says the same as a later one, letter case and white space aside, is left out.
    ///
    /// A lesson that only repeats another would push an older, different one out of a bounded memory.
    pub fn lessons(&self) -> Vec<RememberedLesson> {
        let mut seen = std::collections::HashSet::new();
        let is_new = |lesson: &RememberedLesson| {
            let text = lesson.lesson.text().to_lowercase();
            seen.insert(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let newest_first = self.trials.iter().rev().filter_map(RememberedLesson::of_trial);
        let mut lessons: Vec<_> = newest_first.filter(is_new).collect();
        lessons.reverse();
        lessons
    }
}

/// How long what is remembered lives; decides whether a lesson is worth its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Not at all: no lesson is written.
    Nothing,
    /// Until the run ends: a lesson is written where the strategy shows lessons to a next trial.
    ThisRun,
    /// Longer than the run: a lesson is written after each trial that has a next one, shown in it or not.
    BeyondTheRun,
}

/// Remembers trials, and recalls lessons.
///
/// ```
/// use reflexion::{BoxError, EpisodicMemory, Keeps, LatestLessons, RememberedLesson, RunSoFar, Trial};
///
/// /// Shows what the team knows, and then the run's own lessons.
/// struct House(Vec<RememberedLesson>);
///
/// #[async_trait::async_trait]
/// impl EpisodicMemory for House {
///     fn keeps(&self) -> Keeps {
///         Keeps::ThisRun
///     }
///
///     async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
///         Ok(self.0.iter().cloned().chain(LatestLessons::new(3).select(run)).collect())
///     }
/// }
/// ```
#[async_trait]
pub trait EpisodicMemory: Send + Sync {
    /// How long it remembers.
    fn keeps(&self) -> Keeps;

    /// The lessons for the next trial, oldest first; asked before each trial, the first included. What was shown to the trials so
    /// far is in their `shown`, so a memory that asks a server need do so only once a run.
    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError>;

    /// Takes note of a trial that is over, be it the last or not, before it is one of `run.trials`. Its lesson, the lessons that it was
    /// shown and the verdict are in it. Answers the id under which the lesson is kept, if it is: the lesson has it from then on, and a
    /// later trial that is shown the lesson can be credited to it. After a kill a trial may be made and remembered again.
    async fn remember(&self, _run: &RunSoFar<'_>, _trial: &Trial) -> Result<Option<String>, BoxError> {
        Ok(None)
    }
}

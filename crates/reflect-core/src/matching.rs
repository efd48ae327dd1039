//! What of a memory the task at hand is compared with.

use crate::text_enum::text_enum;

/// What a lesson's similarity has to be ahead by to count for more than its task's. Lessons are near to queries that they have nothing
/// to do with a little more often than tasks are; of the values tried, this is the smallest that costs short utterances nothing
/// (`cargo xtask bench quality`).
const HANDICAP: f64 = 0.04;

text_enum! {
    /// What of a memory the task at hand is compared with.
    #[derive(Default)]
    Match {
        /// The task that it was learned from.
        Task = "task",
        /// What it says.
        Lesson = "lesson",
        /// Whichever of the two is nearer.
        #[default]
        Both = "both",
    }
}

impl Match {
    /// What is taken off the similarity to a task; `None` if tasks are not compared.
    pub const fn task_handicap(self) -> Option<f64> {
        match self {
            Self::Task | Self::Both => Some(0.0),
            Self::Lesson => None,
        }
    }

    /// What is taken off the similarity to a lesson; `None` if lessons are not compared.
    pub const fn lesson_handicap(self) -> Option<f64> {
        match self {
            Self::Task => None,
            Self::Lesson => Some(0.0),
            Self::Both => Some(HANDICAP),
        }
    }

    /// A memory's similarity, from those of its task and of its lesson.
    pub fn join(self, task: f64, lesson: f64) -> f64 {
        match self {
            Self::Task => task,
            Self::Lesson => lesson,
            Self::Both => task.max(lesson - HANDICAP),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_of_task_and_lesson_counts() {
        assert_eq!(Match::default().join(0.6, 0.3), 0.6);
        assert_eq!(Match::Both.join(0.1, 0.54), 0.5);
        assert_eq!(Match::Both.join(0.5, 0.52), 0.5, "a lesson has to be ahead by more than its handicap");
        assert_eq!((Match::Task.join(0.1, 0.9), Match::Lesson.join(0.1, 0.9)), (0.1, 0.9));
    }
}

//! Pass rates with and without memories, over stretches of runs.

use super::{
    super::statistics::Share,
    record::{Arm, Record},
};

/// The pass rates of some runs that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// The number of its first run, from 1.
    pub(super) first: usize,
    /// The number of its last run.
    pub(super) last: usize,
    pub(super) with: Share,
    pub(super) without: Share,
    /// How many runs there was nothing to show for.
    pub(super) nothing_found: usize,
}

impl Window {
    /// None without any run.
    pub(super) fn of(records: &[Record]) -> Option<Self> {
        let share = |arm| Share::of(records.iter().filter(|record| record.arm == arm).map(|record| record.passed));
        Some(Self {
            first: records.first()?.number + 1,
            last: records.last()?.number + 1,
            with: share(Arm::WithMemories),
            without: share(Arm::WithoutMemories),
            nothing_found: records.iter().filter(|record| record.arm == Arm::NothingFound).count(),
        })
    }

    /// One after another; the last may be shorter.
    pub(super) fn all(records: &[Record], length: usize) -> Vec<Self> {
        records.chunks(length).filter_map(Self::of).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn record(number: usize, arm: Arm, passed: bool) -> Record {
        Record {
            number,
            family: "greeting".into(),
            task: format!("Greet {number}"),
            arm,
            lessons_shown: 0,
            own_lessons: 0,
            answer: String::new(),
            passed,
            feedback: String::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn a_window_counts_its_own_runs_by_arm() {
        let arms = [Arm::NothingFound, Arm::WithMemories, Arm::WithoutMemories, Arm::WithMemories, Arm::WithMemories];
        let records: Vec<Record> =
            arms.into_iter().enumerate().map(|(number, arm)| record(number, arm, number % 2 == 1)).collect();
        let windows = Window::all(&records, 4);
        let counts: Vec<_> =
            windows.iter().map(|window| (window.first, window.last, window.with.hits, window.with.of)).collect();
        assert_eq!(counts, [(1, 4, 2, 2), (5, 5, 0, 1)]);
        assert_eq!((windows[0].without, windows[0].nothing_found), (Share { hits: 0, of: 1 }, 1));
    }
}

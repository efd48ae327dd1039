//! Figures of a project: how its runs went, and how well its memories serve.

use crate::{Memory, MemoryId, MemoryStatus, Timestamp, worth::PROBABLY};

/// Bins of the histogram of utilities, each 0.05 wide.
pub const UTILITY_BINS: usize = 20;

/// How many of the best and of the worst memories are named at most.
pub const NAMED: usize = 5;

/// How many are looked at for them from either end: few runs in a row move a utility far, and prove little.
const LOOKED_AT: usize = 4 * NAMED;

/// How often a memory must have been seen to be looked at: one run proves nothing.
const EVIDENCE: u32 = 3;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// How some runs were reviewed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Results {
    /// How many passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
}

/// Runs of a stretch of time, and how those of them were reviewed that have a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// How many there are.
    pub traces: u64,
    /// Those that named memories which they were shown.
    pub with_memories: Results,
    /// Those that named none.
    pub without_memories: Results,
}

impl RunCounts {
    /// Those that passed.
    pub const fn passed(&self) -> u64 {
        self.with_memories.passed + self.without_memories.passed
    }

    /// Those that failed.
    pub const fn failed(&self) -> u64 {
        self.with_memories.failed + self.without_memories.failed
    }
}

impl std::ops::AddAssign for RunCounts {
    fn add_assign(&mut self, other: Self) {
        self.traces += other.traces;
        for (sum, more) in
            [(&mut self.with_memories, other.with_memories), (&mut self.without_memories, other.without_memories)]
        {
            sum.passed += more.passed;
            sum.failed += more.failed;
        }
    }
}

/// The runs of one day in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayCounts {
    /// When the day began.
    pub day: Timestamp,
    /// Its runs.
    pub runs: RunCounts,
}

/// The beginnings of the last `days` days in UTC, the day of `now` last, and the end of that one.
pub fn day_bounds(now: Timestamp, days: u32) -> Vec<Timestamp> {
    let today = now.as_micros().div_euclid(DAY);
    (0..=i64::from(days)).map(|day| Timestamp::from_micros((today - i64::from(days) + 1 + day) * DAY)).collect()
}

/// What figures are made of: one memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryFigure {
    /// Which one.
    pub id: MemoryId,
    /// Whether queries may answer with it.
    pub status: MemoryStatus,
    /// How well it has served.
    pub utility: f64,
    /// How many reviewed runs saw it.
    pub uses: u32,
}

/// How well the memories of a project serve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFigures {
    /// Memories that queries may answer with.
    pub active: u64,
    /// Memories that they may not answer with.
    pub disabled: u64,
    /// Active ones that any reviewed run has seen.
    pub with_evidence: u64,
    /// Active ones by utility; the last bin holds 1.0 as well.
    pub utility_histogram: [u64; UTILITY_BINS],
    /// The active ones of highest utility that were seen often enough, best first: those to name the best of.
    pub highest: Vec<MemoryFigure>,
    /// Those of lowest utility, worst first. Of few memories all are in both.
    pub lowest: Vec<MemoryFigure>,
}

/// Whether there is evidence that a memory helps. Constant steps know no doubt.
pub fn is_among_best(memory: &Memory) -> bool {
    memory.tally.belief().is_none_or(|belief| belief.helps >= PROBABLY)
}

/// Whether there is evidence that it hurts.
pub fn is_among_worst(memory: &Memory) -> bool {
    memory.tally.belief().is_none_or(|belief| belief.helps <= 1.0 - PROBABLY)
}

impl MemoryFigures {
    /// The figures of these memories.
    pub fn of(memories: &[MemoryFigure]) -> Self {
        let mut figures = Self::default();
        let mut judged = Vec::new();
        for memory in memories {
            if memory.status != MemoryStatus::Active {
                figures.disabled += 1;
                continue;
            }
            figures.active += 1;
            figures.with_evidence += u64::from(memory.uses > 0);
            if let Some(bin) = figures.utility_histogram.get_mut(bin_of(memory.utility)) {
                *bin += 1;
            }
            if memory.uses >= EVIDENCE {
                judged.push(*memory);
            }
        }
        judged.sort_by(|left, right| right.utility.total_cmp(&left.utility).then(left.id.cmp(&right.id)));
        figures.lowest = judged.iter().rev().take(LOOKED_AT).copied().collect();
        judged.truncate(LOOKED_AT);
        figures.highest = judged;
        figures
    }
}

/// The bin of a utility.
fn bin_of(utility: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a utility is in [0, 1], and so its bin in 0..=20"
    )]
    let bin = (utility.clamp(0.0, 1.0) * UTILITY_BINS as f64) as usize;
    bin.min(UTILITY_BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(id: u128, utility: f64, uses: u32) -> MemoryFigure {
        let id = MemoryId::from_uuid(uuid::Uuid::from_u128(id));
        MemoryFigure { id, status: MemoryStatus::Active, utility, uses }
    }

    #[test]
    fn utilities_fall_into_their_bins() {
        for (utility, bin) in [(0.0, 0), (0.049, 0), (0.05, 1), (0.5, 10), (0.999, 19), (1.0, 19)] {
            assert_eq!(bin_of(utility), bin, "{utility}");
        }
    }

    #[test]
    fn only_memories_that_were_seen_often_enough_are_looked_at() {
        let seen = (1..8_u32).map(|number| figure(number.into(), f64::from(number) / 10.0, 3));
        let mut memories: Vec<MemoryFigure> = seen.chain([figure(90, 0.99, 2), figure(91, 0.01, 0)]).collect();
        memories.push(MemoryFigure { status: MemoryStatus::Disabled, ..figure(92, 1.0, 9) });
        let figures = MemoryFigures::of(&memories);
        assert_eq!((figures.active, figures.disabled, figures.with_evidence), (9, 1, 8));
        assert_eq!(figures.utility_histogram.iter().sum::<u64>(), 9);
        let ids = |named: &[MemoryFigure]| named.iter().map(|memory| memory.id.as_uuid().as_u128()).collect::<Vec<_>>();
        assert_eq!(
            (ids(&figures.highest), ids(&figures.lowest)),
            (vec![7, 6, 5, 4, 3, 2, 1], vec![1, 2, 3, 4, 5, 6, 7])
        );
    }

    #[test]
    fn days_begin_and_end_at_midnight_in_utc() {
        let now = "2026-11-15T23:59:59.999999Z".parse().unwrap();
        let bounds: Vec<String> = day_bounds(now, 2).iter().map(ToString::to_string).collect();
        let expected = ["2026-11-14T00:00:00.000000Z", "2026-11-15T00:00:00.000000Z", "2026-11-16T00:00:00.000000Z"];
        assert_eq!(bounds, expected);
    }
}

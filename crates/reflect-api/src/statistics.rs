//! Figures of a project on the wire.

use reflect_core::{DayCounts, Memory, Results, RunCounts, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::Violation;

/// Days that are shown where none are named.
const DEFAULT_DAYS: u32 = 30;

/// Days that can be asked for.
const MOST_DAYS: u32 = 366;

/// Which days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatisticsRequest {
    /// How many days, today last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 366, default = 30)]
    pub days: Option<u32>,
}

impl StatisticsRequest {
    /// How many days, if there can be so many.
    pub fn check(&self) -> Result<u32, Violation> {
        match self.days.unwrap_or(DEFAULT_DAYS) {
            days @ 1..=MOST_DAYS => Ok(days),
            days => Err(Violation::new("days", format!("is {days}, it must be between 1 and {MOST_DAYS}"))),
        }
    }
}

/// How a project stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatisticsAnswer {
    /// Its traces by the day they were made, today last.
    pub days: Vec<DayAnswer>,
    /// All of its traces.
    pub traces: TraceCountsAnswer,
    /// Traces of these days that named memories they were shown, by the result of their review.
    pub with_memories: ResultsAnswer,
    /// Traces of these days that named none. That the two differ proves nothing yet: what was shown depends on the task.
    pub without_memories: ResultsAnswer,
    /// Its lessons that are still to be written.
    pub queue: ProjectQueueAnswer,
    /// Its memories.
    pub memories: MemoryCountsAnswer,
    /// The active memories of highest utility among those that at least three reviewed runs have seen, best first.
    pub best: Vec<NamedMemoryAnswer>,
    /// Those of lowest utility, worst first; none that is among the best.
    pub worst: Vec<NamedMemoryAnswer>,
}

/// The traces of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DayAnswer {
    /// The day in UTC.
    #[schema(example = "2026-11-15", format = Date)]
    pub day: String,
    /// How many were made.
    pub traces: u64,
    /// How many of them have a review that says they passed.
    pub passed: u64,
    /// How many of them have a review that says they failed.
    pub failed: u64,
}

/// Traces by their review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceCountsAnswer {
    /// All of them.
    pub total: u64,
    /// Those without a review.
    pub pending: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that failed.
    pub failed: u64,
}

/// How traces were reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultsAnswer {
    /// Those that passed.
    pub passed: u64,
    /// Those that failed.
    pub failed: u64,
}

/// Lessons that are still to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectQueueAnswer {
    /// Those that wait or are being written.
    pub waiting: u64,
    /// Those whose attempts ran out; their traces can be retried.
    pub failed: u64,
    /// For how many seconds the one that waits longest has been due.
    pub oldest_seconds: u64,
}

/// Memories, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryCountsAnswer {
    /// Those that queries may answer with.
    pub active: u64,
    /// Those that they may not answer with.
    pub disabled: u64,
    /// Active ones that any reviewed run has seen.
    pub with_evidence: u64,
    /// Active ones by utility, in 20 bins of 0.05; 1.0 is in the last one.
    pub utility_histogram: Vec<u64>,
}

/// A memory among the best or the worst.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NamedMemoryAnswer {
    /// Its id.
    pub id: Uuid,
    /// The task of its run.
    pub task: String,
    /// One sentence: what was tried and how it ended.
    pub summary: String,
    /// Its utility.
    pub q_value: f64,
    /// How many reviewed runs were shown it.
    pub uses: u32,
    /// How many of them passed.
    pub passes: u32,
    /// How many of them failed.
    pub fails: u32,
}

impl From<DayCounts> for DayAnswer {
    fn from(DayCounts { day, runs }: DayCounts) -> Self {
        let day = day.to_string().chars().take_while(|c| *c != 'T').collect();
        Self { day, traces: runs.traces, passed: runs.passed(), failed: runs.failed() }
    }
}

impl From<RunCounts> for TraceCountsAnswer {
    fn from(runs: RunCounts) -> Self {
        let (passed, failed) = (runs.passed(), runs.failed());
        Self { total: runs.traces, pending: runs.traces.saturating_sub(passed + failed), passed, failed }
    }
}

impl From<Results> for ResultsAnswer {
    fn from(Results { passed, failed }: Results) -> Self {
        Self { passed, failed }
    }
}

impl ProjectQueueAnswer {
    /// The queue at `now`, whose oldest lesson has been due since `next_due`.
    pub fn new(waiting: u64, failed: u64, next_due: Option<Timestamp>, now: Timestamp) -> Self {
        Self { waiting, failed, oldest_seconds: next_due.map_or(0, |due| now.millis_since(due) / 1_000) }
    }
}

impl From<Memory> for NamedMemoryAnswer {
    fn from(memory: Memory) -> Self {
        Self {
            id: memory.id.as_uuid(),
            task: memory.task,
            summary: memory.lesson.summary,
            q_value: memory.tally.utility(),
            uses: memory.tally.uses(),
            passes: memory.tally.passes(),
            fails: memory.tally.fails(),
        }
    }
}

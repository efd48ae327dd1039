//! One reviewed run that saw a memory.

use super::constants::{FIRST_STEP, PRIOR_WORTH};

/// What the memory's fold reads of a row of the ledger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How the run went, from 0 to 1: a review's score, else 1 for a pass and 0 for a fail.
    pub score: f64,
    /// The review's step size.
    pub alpha: f64,
    /// What was expected of the run without this memory, as logged by the query.
    pub expected: Expectation,
    /// The day on which the run was first reviewed, counted from any fixed day. A correction leaves it as it is.
    pub day: i64,
    /// The share for which the run counts, from 0 to 1: less than 1 where one reporter has said enough about the memory.
    pub weight: f64,
}

/// What a run was expected to come to without one of its memories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// What was usual for such a task.
    pub baseline: f64,
    /// What the other memories shown were expected to add: the sum of their worths.
    pub others: f64,
}

impl Expectation {
    /// Of a run of which nothing is known: with a memory that nobody has tried it was as likely to pass as to fail. Its first review then moves
    /// a utility exactly as far as a constant step does.
    pub const UNKNOWN: Self = Self { baseline: 0.5 - PRIOR_WORTH, others: 0.0 };
}

impl Evidence {
    /// What is left of the score for this memory to explain.
    pub fn residual(&self) -> f64 {
        self.score - self.expected.baseline - self.expected.others
    }

    /// How many runs of the usual step size this one counts for.
    pub(super) fn runs(&self) -> f64 {
        runs_of(self.step())
    }

    /// How far it moves a moving average.
    pub(super) fn step(&self) -> f64 {
        self.weight * self.alpha
    }
}

/// How many runs of the usual step size one of this size counts for.
pub(crate) fn runs_of(alpha: f64) -> f64 {
    alpha / FIRST_STEP
}

//! What a test runner said: how many passed and failed, and which.
//!
//! Every line is looked at by itself ([`lines`]). A runner's own sum counts where it gives one, else its lines are counted, a failure that is
//! listed twice once. A program can print what it likes, so nothing here decides a verdict.

mod lines;

use std::collections::{BTreeMap, BTreeSet};

use super::super::{clip::clipped, share};
use lines::{Found, Runner};

/// The most characters of one failure.
const FAILURE_LIMIT: usize = 200;

/// The most failures that are kept.
const FAILURES: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TestReport {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// Their names, in order.
    pub(super) failures: Vec<String>,
}

#[derive(Default)]
struct Tally {
    passed: u64,
    failed: BTreeSet<String>,
    sum: Sum,
}

/// What a runner says at its end, as far as it does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) passed: Option<u64>,
    pub(super) failed: Option<u64>,
    pub(super) total: Option<u64>,
}

impl TestReport {
    pub(super) fn read(output: &str) -> Self {
        let mut tallies: BTreeMap<Runner, Tally> = BTreeMap::new();
        let mut failures: Vec<(Runner, String)> = Vec::new();
        for line in output.lines() {
            let Some((runner, found)) = lines::read(line) else { continue };
            let tally = tallies.entry(runner).or_default();
            match found {
                Found::Passed => tally.passed += 1,
                Found::Sum(sum) => tally.sum = tally.sum.then(sum, runner),
                Found::Failed(name) => {
                    let name = clipped(&name, FAILURE_LIMIT).into_owned();
                    if tally.failed.len() < FAILURES && tally.failed.insert(name.clone()) {
                        failures.push((runner, name));
                    }
                }
            }
        }
        // It repeats what a failed test printed, and that is cargo's own lines.
        if tallies.contains_key(&Runner::Nextest) {
            tallies.remove(&Runner::Cargo);
        }
        failures.retain(|(runner, _)| tallies.contains_key(runner));
        let counts: Vec<(u64, u64)> = tallies.values().map(Tally::counts).collect();
        let add = |sum: u64, count: u64| sum.saturating_add(count);
        Self {
            passed: counts.iter().map(|(passed, _)| *passed).fold(0, add),
            failed: counts.iter().map(|(_, failed)| *failed).fold(0, add),
            failures: failures.into_iter().map(|(_, name)| name).collect(),
        }
    }

    pub(super) fn plus(mut self, other: Self) -> Self {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        for failure in other.failures {
            if !self.failures.contains(&failure) {
                self.failures.push(failure);
            }
        }
        self
    }

    /// In words, where there is anything to say.
    pub(super) fn counts(&self) -> Option<String> {
        (self.passed + self.failed > 0).then(|| format!("{} tests passed, {} failed", self.passed, self.failed))
    }

    /// The share of tests that passed in a run that failed: something did, even where no test says so.
    pub(super) fn share_passed(&self) -> f64 {
        let whole = self.passed.saturating_add(self.failed.max(1));
        share(usize::try_from(self.passed).unwrap_or(usize::MAX), usize::try_from(whole).unwrap_or(usize::MAX))
    }
}

impl Tally {
    fn counts(&self) -> (u64, u64) {
        let listed = self.failed.len() as u64;
        let failed = self.sum.failed.unwrap_or(listed);
        let rest = self.sum.total.map(|total| total.saturating_sub(failed));
        (self.sum.passed.or(rest).unwrap_or(self.passed), failed)
    }
}

impl Sum {
    /// One sum after another: cargo gives one for every binary, others give parts of one, or repeat it.
    fn then(self, next: Self, runner: Runner) -> Self {
        let both = |before: Option<u64>, next: Option<u64>| match (before, next) {
            (Some(before), Some(next)) if runner == Runner::Cargo => Some(before.saturating_add(next)),
            (before, next) => next.or(before),
        };
        Self {
            passed: both(self.passed, next.passed),
            failed: both(self.failed, next.failed),
            total: both(self.total, next.total),
        }
    }
}

#[cfg(test)]
mod tests;

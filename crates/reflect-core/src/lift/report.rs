//! The report: both arms, the difference, the verdict.

use super::{
    e_process::EProcess,
    newcombe::{Difference, PassRate, newcombe},
    sample_size::runs_missing,
};
use crate::text_enum::text_enum;

/// No interval is shown of fewer held-out runs with a review.
const FEWEST_HELD_OUT: u64 = 10;

/// The difference that everybody is told the number of runs for.
const TEN_POINTS: f64 = 0.1;

/// A difference below this is too small to say how many runs would settle it.
const ONE_POINT: f64 = 0.01;

/// Two shares of reviewed runs differ if their normal score is beyond this: p < 0.01, both sides.
const COVERAGE_Z: f64 = 2.576;

text_enum! {
    /// Whether memories help.
    Verdict {
        /// More runs pass with memories.
        Helps = "helps",
        /// Fewer do.
        Hurts = "hurts",
        /// The runs so far do not say.
        NotKnownYet = "not_known_yet",
    }
}

/// The first run of a task that was drawn for one of the arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssignedRun {
    /// Whether it had to do without memories.
    pub held_out: bool,
    /// The share that was held out at that time, between 0 and 1.
    pub share: f64,
    /// Whether it passed; `None` if nobody has reviewed it.
    pub passed: Option<bool>,
}

/// One arm of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArmReport {
    /// How many runs were drawn for it.
    pub assigned: u64,
    /// Those with a review.
    pub reviewed: PassRate,
}

/// Whether memories help, and how sure that is.
#[derive(Debug, Clone, PartialEq)]
pub struct LiftReport {
    /// Runs with memories.
    pub with: ArmReport,
    /// Runs without.
    pub without: ArmReport,
    /// The difference of the pass rates, with an interval that holds for one look. `None` below ten held-out runs.
    pub difference: Option<Difference>,
    /// The evidence of the e-process; 20 is a verdict.
    pub evidence: f64,
    /// What may be said, however often one looks.
    pub verdict: Verdict,
    /// About how many more reviewed runs a verdict takes if the difference is as measured. `None` with a verdict, and below one point.
    pub more_runs: Option<u64>,
    /// About how many more it would take to see ten points; 0 if they would have been seen by now.
    pub more_runs_for_ten_points: u64,
    /// Whether runs of one arm are reviewed more often. No verdict is given then: the arms are not alike.
    pub reviews_depend_on_arm: bool,
}

impl LiftReport {
    /// From the runs in the order in which they were reviewed. Only those since the share was last changed count.
    pub fn of(runs: &[AssignedRun]) -> Self {
        let share = runs.last().map_or(0.0, |run| run.share);
        let period = runs.rsplit(|run| run.share != share).next().unwrap_or_default();
        let period: &[AssignedRun] = if share > 0.0 && share < 1.0 { period } else { &[] };
        let (mut with, mut without, mut process) = (ArmReport::default(), ArmReport::default(), EProcess::default());
        for run in period {
            let arm = if run.held_out { &mut without } else { &mut with };
            arm.assigned += 1;
            if let Some(passed) = run.passed {
                arm.reviewed.add(passed);
                process.add(run.held_out, share, passed);
            }
        }
        let enough = without.reviewed.runs >= FEWEST_HELD_OUT;
        let difference = newcombe(with.reviewed, without.reviewed).filter(|_| enough);
        let reviews_depend_on_arm = coverage_differs(with, without);
        let verdict = match difference {
            Some(difference) if process.value() >= EProcess::VERDICT && !reviews_depend_on_arm => {
                if difference.points > 0.0 { Verdict::Helps } else { Verdict::Hurts }
            }
            _ => Verdict::NotKnownYet,
        };
        let arms = process.arms();
        let measured =
            difference.filter(|difference| verdict == Verdict::NotKnownYet && difference.points.abs() >= ONE_POINT);
        Self {
            with,
            without,
            difference,
            evidence: process.value(),
            verdict,
            // An unlucky project may have passed the number already: a tenth more is asked for then.
            more_runs: measured.map(|difference| {
                runs_missing(difference.points, share, arms).max((arms.0.runs + arms.1.runs) / 10).max(1)
            }),
            more_runs_for_ten_points: if share > 0.0 { runs_missing(TEN_POINTS, share, arms) } else { 0 },
            reviews_depend_on_arm,
        }
    }
}

/// Whether the shares of reviewed runs differ by more than chance. Small arms cannot tell.
fn coverage_differs(with: ArmReport, without: ArmReport) -> bool {
    let (all, reviewed) = (with.assigned + without.assigned, with.reviewed.runs + without.reviewed.runs);
    if all == 0 {
        return false;
    }
    let common = reviewed as f64 / all as f64;
    let least = with.assigned.min(without.assigned) as f64 * common.min(1.0 - common);
    if least < 5.0 {
        return false;
    }
    let share = |arm: ArmReport| arm.reviewed.runs as f64 / arm.assigned as f64;
    let error = (common * (1.0 - common) * (1.0 / with.assigned as f64 + 1.0 / without.assigned as f64)).sqrt();
    (share(with) - share(without)).abs() > COVERAGE_Z * error
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;

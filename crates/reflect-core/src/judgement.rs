//! Verdicts of a judge that is a model.

use crate::{Outcome, Timestamp, TraceId, text_enum::text_enum};

text_enum! {
    /// What the judge said of a run.
    JudgeVerdict {
        /// It did what was asked.
        Pass = "pass",
        /// It did not.
        Fail = "fail",
        /// The run does not show it. Such a trace stays pending.
        Unknown = "unknown",
    }
}

impl JudgeVerdict {
    /// The outcome that a review can carry, if there is one.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Pass => Some(Outcome::Pass),
            Self::Fail => Some(Outcome::Fail),
            Self::Unknown => None,
        }
    }
}

/// What the judge said of one run, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The run.
    pub trace_id: TraceId,
    /// What it said.
    pub verdict: JudgeVerdict,
    /// Why, in its own words.
    pub reason: String,
    /// Which model it was.
    pub model: String,
    /// When.
    pub judged_at: Timestamp,
}

/// How the judge has done in a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgeReport {
    /// Traces whose last verdict was pass or fail.
    pub judged: u64,
    /// Traces whose last verdict was unknown.
    pub unknown: u64,
    /// Traces that the judge could not be asked about, and is not asked about any more.
    pub given_up: u64,
    /// Traces without any review.
    pub pending: u64,
    /// Where both the judge and someone else have spoken: how often each pair of verdicts came up.
    pub confusion: Confusion,
}

/// Verdicts of the judge (first word) against reviews by others (second word).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its pair")]
pub struct Confusion {
    pub pass_pass: u64,
    pub pass_fail: u64,
    pub fail_pass: u64,
    pub fail_fail: u64,
    pub unknown_pass: u64,
    pub unknown_fail: u64,
}

impl Confusion {
    /// How many traces the judge decided that others have reviewed as well.
    pub const fn compared(&self) -> u64 {
        self.pass_pass + self.pass_fail + self.fail_pass + self.fail_fail
    }

    /// The share of those on which both said the same; `None` while there are none.
    #[expect(clippy::cast_precision_loss, reason = "counts of traces are far below 2^52")]
    pub fn agreement(&self) -> Option<f64> {
        match self.compared() {
            0 => None,
            compared => Some((self.pass_pass + self.fail_fail) as f64 / compared as f64),
        }
    }

    /// The count of one pair.
    pub const fn count_mut(&mut self, judge: JudgeVerdict, other: Outcome) -> &mut u64 {
        match (judge, other) {
            (JudgeVerdict::Pass, Outcome::Pass) => &mut self.pass_pass,
            (JudgeVerdict::Pass, Outcome::Fail) => &mut self.pass_fail,
            (JudgeVerdict::Fail, Outcome::Pass) => &mut self.fail_pass,
            (JudgeVerdict::Fail, Outcome::Fail) => &mut self.fail_fail,
            (JudgeVerdict::Unknown, Outcome::Pass) => &mut self.unknown_pass,
            (JudgeVerdict::Unknown, Outcome::Fail) => &mut self.unknown_fail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_counts_only_what_the_judge_decided() {
        let mut confusion = Confusion::default();
        assert_eq!(confusion.agreement(), None);
        for (judge, other, times) in [
            (JudgeVerdict::Pass, Outcome::Pass, 5),
            (JudgeVerdict::Fail, Outcome::Fail, 1),
            (JudgeVerdict::Pass, Outcome::Fail, 2),
            (JudgeVerdict::Unknown, Outcome::Fail, 9),
        ] {
            *confusion.count_mut(judge, other) += times;
        }
        assert_eq!(confusion.agreement(), Some(0.75));
    }
}

//! Sitting out: now and then a memory is left out of an answer that it is due for, and the next best takes its place.
//!
//! Memories that are always shown together share whatever their runs come to: which of them helped is never known. So each of them sits out
//! with the probability that it does not help, as far as its evidence goes:
//!
//! ```text
//! p = Φ(−worth / deviation)      kept between `least` and `most`
//! ```
//!
//! What helps for sure is hardly ever left out, so this costs most where it tells most, and ends when the evidence is in.

use super::{Worth, WorthConstants};
use crate::Tells;

/// How often memories sit out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SittingOut {
    /// The share of answers that even the surest sits out.
    pub least: f64,
    /// The share that the most doubtful sits out. With 0 none ever does.
    pub most: f64,
    /// The most where nothing else is there to show.
    pub alone: f64,
    /// Until so many reviewed runs have seen it, a memory is always shown.
    pub first_runs: f64,
    /// What a reviewer's rule is believed to add, more than others, before any run has seen it. Evidence outweighs it as it does the prior.
    pub rule_adds: f64,
}

impl Default for SittingOut {
    fn default() -> Self {
        Self { least: 0.02, most: 0.3, alone: 0.05, first_runs: 5.0, rule_adds: 0.1 }
    }
}

impl SittingOut {
    /// Nobody does.
    pub const NEVER: Self = Self { least: 0.0, most: 0.0, alone: 0.0, first_runs: 0.0, rule_adds: 0.0 };

    /// How probable it is that a memory that tells so much sits out an answer that it is due for, alone or beside others.
    pub fn chance(&self, worth: &Worth, tells: Option<Tells>, constants: &WorthConstants, is_alone: bool) -> f64 {
        // Evidence of five runs on five days has aged a little.
        if worth.runs() + 0.5 < self.first_runs {
            return 0.0;
        }
        let prior = constants.prior_runs / (constants.prior_runs + worth.runs());
        let believed = if tells == Some(Tells::Rule) { self.rule_adds * prior } else { 0.0 };
        let deviations = (worth.mean(constants) + believed) / worth.deviation(constants);
        normal_below(-deviations).max(self.least).min(self.most).min(if is_alone { self.alone } else { 1.0 })
    }
}

/// Φ: how probable it is that a normal number is below `x`. Off by less than 0.0000002 (Abramowitz and Stegun 26.2.17).
pub(super) fn normal_below(x: f64) -> f64 {
    const TERMS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let beyond = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * series;
    if x > 0.0 { 1.0 - beyond } else { beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution() {
        for (x, below) in
            [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (1.959_964, 0.975), (-6.0, 9.866e-10)]
        {
            assert!((normal_below(x) - below).abs() < 2e-7, "{x}: {}", normal_below(x));
        }
    }

    #[test]
    fn doubt_decides_between_the_ends_and_nothing_before_the_first_runs() {
        let (often, constants) = (SittingOut::default(), WorthConstants::default());
        let chance = |sum: f64, runs: f64| often.chance(&Worth::cached(sum, runs, 0), None, &constants, false);
        assert_eq!(chance(-1.0, 4.0), 0.0);
        assert_eq!(chance(0.0, 5.0), 0.3);
        assert_eq!(chance(60.0, 200.0), 0.02);
        // Worth 0.05 with a deviation of 0.047.
        assert!((chance(4.2, 60.0) - 0.143_7).abs() < 1e-3, "{}", chance(4.2, 60.0));
        assert_eq!(SittingOut::NEVER.chance(&Worth::cached(-9.0, 20.0, 0), None, &constants, false), 0.0);
        assert_eq!(often.chance(&Worth::cached(0.0, 5.0, 0), None, &constants, true), 0.05);
    }

    #[test]
    fn a_reviewers_rule_is_believed_until_runs_say_otherwise() {
        let (often, constants) = (SittingOut::default(), WorthConstants::default());
        let chance = |tells, mean: f64, runs: f64| {
            let worth = Worth::cached(mean * runs, runs, 0);
            often.chance(&worth, Some(tells), &constants, false)
        };
        assert!(chance(Tells::Rule, 0.0, 5.0) < 0.08 && chance(Tells::Pitfall, 0.0, 5.0) == 0.3);
        assert_eq!(chance(Tells::Rule, -0.2, 40.0), 0.3);
    }
}

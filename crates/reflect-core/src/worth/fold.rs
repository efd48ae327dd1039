//! A memory's worth: the fold of its evidence.

use super::{WorthConstants, ageing::share_left, evidence::Evidence};

/// The spread of a single score around what was expected, for the display of doubt.
const SCORE_DEVIATION: f64 = 0.47;

/// How far from the middle a linear utility is half-way to its end: `0.5 · 0.15 / (0.35 + 0.15)` is the first step of 0.15 again.
const HALF_WAY: f64 = 0.35;

/// How far ahead a return from retirement is looked for.
const A_CENTURY: u64 = 36_500;

/// What a memory's live evidence adds up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Worth {
    /// The sum of the residuals.
    sum: f64,
    /// How many runs they are of.
    runs: f64,
    /// The latest day among them.
    day: i64,
}

/// A memory that queries leave out, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retirement {
    /// What it is believed to add, in shares of passes: below zero.
    pub worth: f64,
    /// The standard deviation of that belief.
    pub deviation: f64,
    /// How many runs it rests on, after ageing.
    pub runs: f64,
    /// The day on which its evidence will have aged so far that it is shown again. `None` if evidence does not age.
    pub returns_on: Option<i64>,
}

impl Worth {
    /// A fold that was kept: the sum of residuals, the number of runs and the latest day.
    pub const fn cached(sum: f64, runs: f64, day: i64) -> Self {
        Self { sum, runs, day }
    }

    /// The three figures to keep.
    pub const fn parts(&self) -> (f64, f64, i64) {
        (self.sum, self.runs, self.day)
    }

    /// How many runs it rests on, after ageing.
    pub const fn runs(&self) -> f64 {
        self.runs
    }

    /// The worth of live evidence in the order of its positions.
    pub fn of<'a>(evidence: impl IntoIterator<Item = &'a Evidence>, constants: &WorthConstants) -> Self {
        evidence.into_iter().fold(Self::default(), |worth, evidence| worth.with(evidence, constants))
    }

    /// This worth after one more run at the end.
    #[must_use]
    pub fn with(self, evidence: &Evidence, constants: &WorthConstants) -> Self {
        let aged = self.aged_to(evidence.day, constants);
        let sum = aged.sum + evidence.runs() * evidence.residual();
        let runs = aged.runs + evidence.runs();
        // Beyond the cap all evidence fades a little with every run: a step never gets smaller than 1 / (prior runs + cap).
        let kept = if runs > constants.most_runs { constants.most_runs / runs } else { 1.0 };
        Self { sum: sum * kept, runs: runs.min(constants.most_runs), day: aged.day }
    }

    /// What is left of this worth on that day; an earlier day changes nothing.
    #[must_use]
    pub fn aged_to(self, day: i64, constants: &WorthConstants) -> Self {
        if self.runs == 0.0 {
            return Self { day, ..self };
        }
        let days = u64::try_from(day.saturating_sub(self.day)).unwrap_or(0);
        let left = constants.half_life_days.map_or(1.0, |half_life| share_left(days, half_life));
        Self { sum: self.sum * left, runs: self.runs * left, day: self.day.max(day) }
    }

    /// What the memory is believed to add, in shares of passes: its mean residual, shrunk towards the prior.
    ///
    /// Good for ranking; as a promise it is too optimistic. Only the lift report says what memories add.
    pub fn mean(&self, constants: &WorthConstants) -> f64 {
        (self.sum + constants.prior_runs * constants.prior_worth) / (self.runs + constants.prior_runs)
    }

    /// The standard deviation of that belief, for display.
    pub fn deviation(&self, constants: &WorthConstants) -> f64 {
        SCORE_DEVIATION / (self.runs + constants.prior_runs).sqrt()
    }

    /// The worth on the scale of utilities, on which memories are ranked: 0.5 for one that nobody tried, and no ends.
    pub fn utility(&self, constants: &WorthConstants) -> f64 {
        constants.utility(self.mean(constants))
    }

    /// The utility as clients see it, in (0, 1). It goes as far for the first run as a constant step does, and nearer to its ends with every further
    /// one: thirty passes in a row still say more than twenty.
    pub fn q_value(&self, constants: &WorthConstants) -> f64 {
        let from_middle = self.utility(constants) - 0.5;
        0.5 + 0.5 * from_middle / (HALF_WAY + from_middle.abs())
    }

    /// Whether the memory hurts, as far as its evidence can say so: a few failures are not enough.
    pub fn is_retired(&self, constants: &WorthConstants) -> bool {
        self.mean(constants) + constants.retire_deviations * self.deviation(constants) < constants.retire_below
    }

    /// Why queries leave the memory out, if they do.
    pub fn retirement(&self, constants: &WorthConstants) -> Option<Retirement> {
        self.is_retired(constants).then(|| Retirement {
            worth: self.mean(constants),
            deviation: self.deviation(constants),
            runs: self.runs,
            returns_on: self.returns_on(constants),
        })
    }

    /// Whether both are the same to the bit.
    pub const fn is_exactly(&self, other: &Self) -> bool {
        self.sum.to_bits() == other.sum.to_bits()
            && self.runs.to_bits() == other.runs.to_bits()
            && self.day == other.day
    }

    /// The first day on which ageing alone has brought the worth back over the line. Found by halving: it only rises.
    fn returns_on(&self, constants: &WorthConstants) -> Option<i64> {
        let on = |days: u64| self.day.saturating_add_unsigned(days);
        let back = |days: u64| !self.aged_to(on(days), constants).is_retired(constants);
        let (mut away, mut returned) = (0, A_CENTURY);
        if !back(returned) {
            return None;
        }
        while returned - away > 1 {
            let middle = away.midpoint(returned);
            if back(middle) { returned = middle } else { away = middle }
        }
        Some(on(returned))
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;

//! Evidence against "memories make no difference" that may be looked at after every run.
//!
//! Before each run both arms have a guess, `θ` with memories and `θ'` without, made from the runs before it. With a share `h` held out, a run
//! of which nobody knows the arm passes with `θ₀ = (1 − h)·θ + h·θ'`. When its arm is told, the evidence is multiplied by
//!
//! ```text
//! θ_arm / θ₀ if it passed          (1 − θ_arm) / (1 − θ₀) if it failed
//! ```
//!
//! If memories make no difference, the arm, drawn at random, says nothing about the result, and the mean of either factor over the arms is
//! exactly 1, whatever the task. So the evidence is a bet at fair odds: it ever reaches 20 with a probability of at most 1/20 (Ville). This is
//! the safe test of two proportions of Turner, Ly and Grünwald, in blocks of one.

use super::newcombe::PassRate;

/// How many runs at the common rate each arm's guess begins with.
const PRIOR_RUNS: f64 = 10.0;

/// The running evidence of a holdout.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EProcess {
    with: PassRate,
    without: PassRate,
    /// The logarithm of the evidence.
    log: f64,
}

impl EProcess {
    /// Evidence of at least this much is a verdict: it is wrong in at most one of twenty projects, however often they look.
    pub const VERDICT: f64 = 20.0;

    /// Takes in the next run. `share` is the probability with which it was held out, between 0 and 1 and neither of them.
    pub fn add(&mut self, held_out: bool, share: f64, passed: bool) {
        let (with, without) = (self.guess(self.with), self.guess(self.without));
        let unknown = (1.0 - share) * with + share * without;
        let (guess, arm) = if held_out { (without, &mut self.without) } else { (with, &mut self.with) };
        self.log += if passed { (guess / unknown).ln() } else { ((1.0 - guess) / (1.0 - unknown)).ln() };
        arm.add(passed);
    }

    /// The evidence so far; 1 at the start.
    pub fn value(&self) -> f64 {
        self.log.exp()
    }

    /// The runs that were taken in: with memories, and without.
    pub const fn arms(&self) -> (PassRate, PassRate) {
        (self.with, self.without)
    }

    fn guess(&self, arm: PassRate) -> f64 {
        let passes = (self.with.passes + self.without.passes) as f64;
        let common = (passes + 2.0) / ((self.with.runs + self.without.runs) as f64 + 4.0);
        (arm.passes as f64 + PRIOR_RUNS * common) / (arm.runs as f64 + PRIOR_RUNS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_fair_bet_has_no_gain_on_average(
            past in prop::collection::vec((any::<bool>(), any::<bool>()), 0..200), share in 0.01..0.99_f64, passed in any::<bool>(),
        ) {
            let mut before = EProcess::default();
            past.iter().for_each(|(held_out, passed)| before.add(*held_out, share, *passed));
            let after = |held_out| {
                let mut after = before;
                after.add(held_out, share, passed);
                after.value()
            };
            let mean = share * after(true) + (1.0 - share) * after(false);
            prop_assert!((mean / before.value() - 1.0).abs() < 1e-9, "{} {}", mean, before.value());
        }
    }
}

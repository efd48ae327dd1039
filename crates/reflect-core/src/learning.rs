//! The arithmetic of learning.
//!
//! A memory's utility is an exponential moving average of how the runs that saw it went. With reward `r` (1 for a pass,
//! 0 for a fail) and step size `α`, each reviewed run moves it by
//!
//! ```text
//! q ← q + α · (r − q)
//! ```
//!
//! which is the update of MemRL (and of Q-learning for a one-step episode). It starts at 0.5, and stays in [0, 1]
//! because every step is a convex combination of two numbers in it.
//!
//! The ledger of credits is the truth, and the number on the memory only a cache of its fold, [`Tally::of`]. Appending a
//! credit extends the cache by one [`step`]; any other change folds again from the start. Nothing is ever undone by
//! subtracting, since floating-point sums would then depend on the history of mistakes.

use serde::{Deserialize, Serialize};

use crate::{Outcome, ReviewId, Timestamp, TraceId};

/// Where every utility starts: nothing is known yet.
pub const INITIAL_UTILITY: f64 = 0.5;

/// One step: `q + α · (r − q)`.
///
/// Kept in [0, 1] against rounding in the last bit, which for `q`, `α` and `r` in [0, 1] is all that could leave it.
pub fn step(q: f64, alpha: f64, reward: f64) -> f64 {
    (q + alpha * (reward - q)).clamp(0.0, 1.0)
}

/// One row of the ledger: one run that saw a memory, and what its review was worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Credit {
    /// The place in the memory's order. A correction takes the place of what it corrects.
    pub position: i64,
    /// The memory's revision when the review was accepted.
    pub memory_revision: u32,
    /// The run.
    pub trace_id: TraceId,
    /// The review of that run.
    pub review_id: ReviewId,
    /// The review's result.
    pub result: Outcome,
    /// The step size.
    pub alpha: f64,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// Since when it no longer counts: it was corrected or taken back. Live credits have none.
    pub removed_at: Option<Timestamp>,
}

/// What a memory's live credits add up to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// The fold of the live credits.
    pub q_value: f64,
    /// How many reviewed runs saw it.
    pub uses: u32,
    /// How many of them passed.
    pub passes: u32,
    /// How many of them failed.
    pub fails: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self { q_value: INITIAL_UTILITY, uses: 0, passes: 0, fails: 0 }
    }
}

impl Tally {
    /// This tally after one more credit at the end.
    #[must_use]
    pub fn with(self, result: Outcome, alpha: f64) -> Self {
        let pass = u32::from(result.is_pass());
        Self {
            q_value: step(self.q_value, alpha, result.reward()),
            uses: self.uses + 1,
            passes: self.passes + pass,
            fails: self.fails + 1 - pass,
        }
    }

    /// The tally of live credits `(result, alpha)` in the order of their positions.
    pub fn of(credits: impl IntoIterator<Item = (Outcome, f64)>) -> Self {
        credits.into_iter().fold(Self::default(), |tally, (result, alpha)| tally.with(result, alpha))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pass_and_a_fail_with_the_default_step() {
        assert_eq!(step(0.5, 0.3, 1.0), 0.65);
        assert_eq!(step(0.5, 0.3, 0.0), 0.35);
        assert_eq!(Tally::of([]).q_value, 0.5);
    }

    #[test]
    fn the_ends_of_the_step_size() {
        assert_eq!(step(0.37, 0.0, 1.0), 0.37);
        assert_eq!(step(0.37, 1.0, 1.0), 1.0);
        assert_eq!(step(0.37, 1.0, 0.0), 0.0);
    }

    fn credits() -> impl Strategy<Value = Vec<(Outcome, f64)>> {
        let outcome = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
        prop::collection::vec((outcome, 0.0..=1.0_f64), 0..64)
    }

    proptest! {
        #[test]
        fn utilities_stay_in_the_unit_interval(credits in credits()) {
            let tally = Tally::of(credits);
            prop_assert!((0.0..=1.0).contains(&tally.q_value), "{}", tally.q_value);
        }

        #[test]
        fn extending_the_cache_equals_folding_from_the_start(credits in credits(), result in 0..2, alpha in 0.0..=1.0_f64) {
            let result = if result == 0 { Outcome::Pass } else { Outcome::Fail };
            let extended = Tally::of(credits.iter().copied()).with(result, alpha);
            let folded = Tally::of(credits.into_iter().chain([(result, alpha)]));
            prop_assert_eq!(extended.q_value.to_bits(), folded.q_value.to_bits());
            prop_assert_eq!(extended, folded);
        }

        #[test]
        fn counts_add_up(credits in credits()) {
            let tally = Tally::of(credits.iter().copied());
            prop_assert_eq!(tally.uses as usize, credits.len());
            prop_assert_eq!(tally.passes + tally.fails, tally.uses);
        }

        #[test]
        fn a_pass_never_lowers_and_a_fail_never_raises(q in 0.0..=1.0_f64, alpha in 0.0..=1.0_f64) {
            prop_assert!(step(q, alpha, 1.0) >= q);
            prop_assert!(step(q, alpha, 0.0) <= q);
        }
    }
}

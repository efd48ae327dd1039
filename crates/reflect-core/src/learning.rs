//! The arithmetic of learning.
//!
//! A memory's utility is an exponential moving average of how the runs that saw it went. With reward `r` (the review's score, else 1
//! for a pass and 0 for a fail) and step size `α`, each reviewed run moves it by
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
//!
//! Nothing outside this file knows what a utility is made of: everyone asks the [`Tally`].

use crate::{MemoryId, Outcome, RetrievalId, ReviewId, ShownMemory, Timestamp, TraceId, moving_average::step};

/// Where every utility starts: nothing is known yet.
const INITIAL_UTILITY: f64 = 0.5;

/// How far a utility may be off before its first use.
const DOUBT: f64 = 0.25;

/// What a live credit does to the tally of its memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The review's result.
    pub result: Outcome,
    /// What the run was worth, in [0, 1].
    pub reward: f64,
    /// The step size.
    pub alpha: f64,
}

impl Step {
    /// The step of a review: its score counts, else 1 for a pass and 0 for a fail.
    pub fn new(result: Outcome, score: Option<f64>, alpha: f64) -> Self {
        Self { result, reward: score.unwrap_or(result.reward()), alpha }
    }
}

/// The step of a review without a score.
impl From<(Outcome, f64)> for Step {
    fn from((result, alpha): (Outcome, f64)) -> Self {
        Self::new(result, None, alpha)
    }
}

/// One row of the ledger: one run that saw a memory, and what its review was worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Credit {
    /// The position in the memory's order. A correction takes the position of what it corrects.
    pub position: i64,
    /// The memory's revision when the review was accepted.
    pub memory_revision: u32,
    /// The run.
    pub trace_id: TraceId,
    /// The review of that run.
    pub review_id: ReviewId,
    /// The review's result.
    pub result: Outcome,
    /// What the run was worth: the review's score, else 1 for a pass and 0 for a fail.
    pub reward: f64,
    /// The step size.
    pub alpha: f64,
    /// How the run came to see the memory.
    pub circumstances: Circumstances,
    /// The memory's utility after this step.
    pub utility_after: f64,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// Since when it no longer counts: it was corrected or taken back. Live credits have none.
    pub removed_at: Option<Timestamp>,
}

/// How a run came to see a memory, as far as that is known. Utilities do not depend on it; whoever asks later whether a lesson
/// helped, or was only shown often, does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Circumstances {
    /// The query that showed it.
    pub retrieval_id: Option<RetrievalId>,
    /// Its rank in the answer, from 1.
    pub rank: Option<u32>,
    /// Its similarity to the task.
    pub similarity: Option<f64>,
    /// How probable it was that the query would show it, in (0, 1].
    pub probability: Option<f64>,
}

impl Circumstances {
    /// What is known of a memory in the answer of that query. One that the answer does not hold came from elsewhere.
    pub fn in_answer(memory_id: MemoryId, retrieval_id: Option<RetrievalId>, answer: &[ShownMemory]) -> Self {
        let Some(shown) = answer.iter().find(|shown| shown.memory_id == memory_id) else {
            return Self::default();
        };
        let (rank, similarity) = (Some(shown.rank), Some(shown.similarity));
        Self { retrieval_id, rank, similarity, probability: None }
    }
}

/// What a memory's live credits add up to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    utility: f64,
    uses: u32,
    passes: u32,
    fails: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self { utility: INITIAL_UTILITY, uses: 0, passes: 0, fails: 0 }
    }
}

impl Tally {
    /// A fold that was kept.
    pub const fn cached(utility: f64, uses: u32, passes: u32, fails: u32) -> Self {
        Self { utility, uses, passes, fails }
    }

    /// This tally after one more credit at the end.
    #[must_use]
    pub fn with(self, credit: impl Into<Step>) -> Self {
        let Step { result, reward, alpha } = credit.into();
        let pass = u32::from(result.is_pass());
        Self {
            utility: step(self.utility, alpha, reward),
            uses: self.uses + 1,
            passes: self.passes + pass,
            fails: self.fails + 1 - pass,
        }
    }

    /// The tally of live credits in the order of their positions.
    pub fn of<S: Into<Step>>(credits: impl IntoIterator<Item = S>) -> Self {
        credits.into_iter().fold(Self::default(), Self::with)
    }

    /// The utility after each of these live credits, in their order.
    pub fn utilities(credits: impl IntoIterator<Item = Step>) -> Vec<f64> {
        let steps = credits.into_iter().scan(Self::default(), |tally, credit| {
            *tally = tally.with(credit);
            Some(tally.utility)
        });
        steps.collect()
    }

    /// How well the memory has served, in [0, 1].
    pub const fn utility(&self) -> f64 {
        self.utility
    }

    /// The lower end of what its utility may be, given how often it was seen. May be below 0.
    pub fn lower_bound(&self) -> f64 {
        self.utility - DOUBT / (f64::from(self.uses) + 1.0).sqrt()
    }

    /// How many reviewed runs saw it.
    pub const fn uses(&self) -> u32 {
        self.uses
    }

    /// How many of them passed.
    pub const fn passes(&self) -> u32 {
        self.passes
    }

    /// How many of them failed.
    pub const fn fails(&self) -> u32 {
        self.fails
    }

    /// Whether both are the same, the utility to the bit.
    pub const fn is_exactly(&self, other: &Self) -> bool {
        self.utility.to_bits() == other.utility.to_bits()
            && self.uses == other.uses
            && self.passes == other.passes
            && self.fails == other.fails
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
        assert_eq!(Tally::default().utility(), 0.5);
    }

    #[test]
    fn a_score_is_the_reward_and_the_result_is_counted() {
        let tally = Tally::default().with(Step { result: Outcome::Fail, reward: 0.75, alpha: 0.2 });
        assert_eq!((tally.utility(), tally.passes(), tally.fails()), (0.55, 0, 1));
    }

    #[test]
    fn the_ends_of_the_step_size() {
        assert_eq!(step(0.37, 0.0, 1.0), 0.37);
        assert_eq!(step(0.37, 1.0, 1.0), 1.0);
        assert_eq!(step(0.37, 1.0, 0.0), 0.0);
    }

    fn credit() -> impl Strategy<Value = Step> {
        let outcome = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
        (outcome, 0.0..=1.0_f64, 0.0..=1.0_f64).prop_map(|(result, reward, alpha)| Step { result, reward, alpha })
    }

    fn credits() -> impl Strategy<Value = Vec<Step>> {
        prop::collection::vec(credit(), 0..64)
    }

    proptest! {
        #[test]
        fn utilities_stay_in_the_unit_interval(credits in credits()) {
            let tally = Tally::of(credits);
            prop_assert!((0.0..=1.0).contains(&tally.utility()), "{}", tally.utility());
        }

        #[test]
        fn extending_the_cache_equals_folding_from_the_start(credits in credits(), last in credit()) {
            let extended = Tally::of(credits.iter().copied()).with(last);
            let folded = Tally::of(credits.into_iter().chain([last]));
            prop_assert!(extended.is_exactly(&folded), "{:?} {:?}", extended, folded);
        }

        #[test]
        fn counts_add_up(credits in credits()) {
            let tally = Tally::of(credits.iter().copied());
            prop_assert_eq!(tally.uses() as usize, credits.len());
            prop_assert_eq!(tally.passes() + tally.fails(), tally.uses());
        }

        #[test]
        fn a_pass_never_lowers_and_a_fail_never_raises(q in 0.0..=1.0_f64, alpha in 0.0..=1.0_f64) {
            prop_assert!(step(q, alpha, 1.0) >= q);
            prop_assert!(step(q, alpha, 0.0) <= q);
        }

        #[test]
        fn a_bound_comes_closer_with_every_use(utility in 0.0..=1.0_f64, uses in 0..1_000_u32) {
            let (fewer, more) = (Tally::cached(utility, uses, uses, 0), Tally::cached(utility, uses + 1, uses + 1, 0));
            prop_assert!(fewer.lower_bound() < more.lower_bound() && more.lower_bound() < utility);
        }
    }

    #[test]
    fn what_an_answer_does_not_hold_has_no_circumstances() {
        let memory = |number: u128| MemoryId::from_uuid(uuid::Uuid::from_u128(number));
        let retrieval_id = Some(RetrievalId::from_uuid(uuid::Uuid::from_u128(9)));
        let answer = [ShownMemory { memory_id: memory(1), revision: 1, rank: 2, similarity: 0.75, q_value: 0.5 }];
        let known = Circumstances { retrieval_id, rank: Some(2), similarity: Some(0.75), probability: None };
        assert_eq!(Circumstances::in_answer(memory(1), retrieval_id, &answer), known);
        assert_eq!(Circumstances::in_answer(memory(2), retrieval_id, &answer), Circumstances::default());
    }
}

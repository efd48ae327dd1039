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
//! credit extends the cache by one [`step`](crate::step); any other change folds again from the start. Nothing is ever undone by
//! subtracting, since floating-point sums would then depend on the history of mistakes.
//!
//! Nothing outside this file knows what a utility is made of: everyone asks the [`Tally`].

use crate::{
    Circumstances, KeyId, Outcome, ReviewId, Timestamp, TraceId,
    worth::{Belief, Evidence, Expectation, Learned, LearningRule, Retirement, Viewpoint, Worth, WorthConstants},
};

/// How far a utility may be off before its first use.
const DOUBT: f64 = 0.25;

/// What a live credit does to the tally of its memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The review's result, which is counted.
    pub result: Outcome,
    /// What is learned from.
    pub evidence: Evidence,
}

impl Step {
    /// The step of a review: its score counts, else 1 for a pass and 0 for a fail. Nothing is known of its run.
    pub fn new(result: Outcome, score: Option<f64>, alpha: f64) -> Self {
        let score = score.unwrap_or(result.reward());
        Self { result, evidence: Evidence { score, alpha, expected: Expectation::UNKNOWN, day: 0, weight: 1.0 } }
    }

    /// The same of a run that was first reviewed on that day, and of which this much was expected, where that is known.
    #[must_use]
    pub fn of_run(mut self, day: i64, expected: Option<Expectation>) -> Self {
        self.evidence.day = day;
        self.evidence.expected = expected.unwrap_or(Expectation::UNKNOWN);
        self
    }

    /// The same of a run that counts for this share, from 0 to 1.
    #[must_use]
    pub const fn weighing(mut self, weight: f64) -> Self {
        self.evidence.weight = weight;
        self
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
    /// The key that brought the run's first review; none where that is not known.
    pub reporter: Option<KeyId>,
    /// The share for which the run counts, from 0 to 1.
    pub weight: f64,
    /// How the run came to see the memory.
    pub circumstances: Circumstances,
    /// The memory's utility after this step.
    pub utility_after: f64,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// Since when it no longer counts: it was corrected or taken back. Live credits have none.
    pub removed_at: Option<Timestamp>,
}

/// A memory's live credits in the order of their positions, as a fold reads them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// What each of them does.
    pub steps: Vec<Step>,
    /// How many of them came before the memory was brought back. Its worth begins anew after them.
    pub before_return: usize,
}

impl History {
    /// What they add up to.
    pub fn tally(&self, constants: &WorthConstants) -> Tally {
        self.fold(constants, |_| ())
    }

    /// The utility after each of them.
    pub fn utilities(&self, viewpoint: &Viewpoint) -> Vec<f64> {
        let mut utilities = Vec::with_capacity(self.steps.len());
        self.fold(&viewpoint.constants, |tally| utilities.push(tally.under(viewpoint.rule).utility()));
        utilities
    }

    fn fold(&self, constants: &WorthConstants, mut each: impl FnMut(Tally)) -> Tally {
        let (before, after) = self.steps.split_at(self.before_return.min(self.steps.len()));
        let mut extend = |tally: Tally, step: &Step| {
            let tally = tally.with(*step, constants);
            each(tally);
            tally
        };
        let tally = before.iter().fold(Tally::default(), &mut extend);
        after.iter().fold(tally.with_worth(Worth::default()), extend)
    }
}

/// What a memory's live credits add up to, by both rules. Which of them its utility goes by is said with [`Tally::under`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    rule: LearningRule,
    retirement: Option<Retirement>,
    belief: Option<Belief>,
    learned: Learned,
    uses: u32,
    passes: u32,
    fails: u32,
}

impl Default for Tally {
    fn default() -> Self {
        let learned = Learned::default();
        Self { rule: LearningRule::Constant, retirement: None, belief: None, learned, uses: 0, passes: 0, fails: 0 }
    }
}

impl Tally {
    /// A fold that was kept, by constant steps.
    pub fn cached(average: f64, uses: u32, passes: u32, fails: u32) -> Self {
        let learned = Learned { average, ..Learned::default() };
        Self { learned, uses, passes, fails, ..Self::default() }
    }

    /// The same with the fold by the other rule.
    #[must_use]
    pub const fn with_worth(mut self, worth: Worth) -> Self {
        self.learned.worth = worth;
        self
    }

    /// The same under a rule.
    #[must_use]
    pub const fn under(mut self, rule: LearningRule) -> Self {
        self.rule = rule;
        self
    }

    /// The same as a project sees it.
    #[must_use]
    pub fn seen_from(mut self, viewpoint: &Viewpoint) -> Self {
        self.rule = viewpoint.rule;
        self.retirement = viewpoint.retirement(&self.learned);
        self.belief = viewpoint.belief(&self.learned);
        self
    }

    /// The same of a memory that is never left out.
    #[must_use]
    pub const fn kept(mut self) -> Self {
        self.retirement = None;
        self
    }

    /// Why queries leave the memory out, if they do where it is [seen from](Tally::seen_from).
    pub const fn retirement(&self) -> Option<&Retirement> {
        self.retirement.as_ref()
    }

    /// What is believed of the memory, where it is [seen from](Tally::seen_from) a project that learns by worth.
    pub const fn belief(&self) -> Option<&Belief> {
        self.belief.as_ref()
    }

    /// The folds by both rules.
    pub const fn learned(&self) -> &Learned {
        &self.learned
    }

    /// This tally after one more credit at the end.
    #[must_use]
    pub fn with(self, credit: impl Into<Step>, constants: &WorthConstants) -> Self {
        let Step { result, evidence } = credit.into();
        let pass = u32::from(result.is_pass());
        Self {
            learned: self.learned.with(&evidence, constants),
            uses: self.uses + 1,
            passes: self.passes + pass,
            fails: self.fails + 1 - pass,
            ..self
        }
    }

    /// The tally of live credits in the order of their positions, with the usual constants.
    pub fn of<S: Into<Step>>(credits: impl IntoIterator<Item = S>) -> Self {
        let steps = credits.into_iter().map(Into::into).collect();
        History { steps, before_return: 0 }.tally(&WorthConstants::default())
    }

    /// How well the memory has served, in [0, 1].
    pub fn utility(&self) -> f64 {
        self.learned.q_value(self.rule, &WorthConstants::default())
    }

    /// The day on which the memory, which by its worth is retired, is shown again: the last of all days if evidence does not age. `None`
    /// if it is not retired.
    pub fn retired_until(&self, constants: &WorthConstants) -> Option<i64> {
        let retirement = self.learned.worth.retirement(constants)?;
        Some(retirement.returns_on.unwrap_or(i64::MAX))
    }

    /// The lower end of what its utility may be, given how often it was seen. May be below 0.
    pub fn lower_bound(&self) -> f64 {
        self.utility() - DOUBT / (f64::from(self.uses) + 1.0).sqrt()
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

    /// Whether both are the same, the figures of both rules to the bit.
    pub const fn is_exactly(&self, other: &Self) -> bool {
        self.learned.is_exactly(&other.learned)
            && self.uses == other.uses
            && self.passes == other.passes
            && self.fails == other.fails
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::step;

    #[test]
    fn a_memory_that_was_brought_back_begins_anew_by_its_worth_alone() {
        let step = |result| Step::new(result, None, 0.3);
        let steps = vec![step(Outcome::Fail), step(Outcome::Fail), step(Outcome::Pass)];
        let of = |before_return| History { steps: steps.clone(), before_return };
        let constants = WorthConstants::default();
        let (whole, anew) = (of(0).tally(&constants), of(2).tally(&constants));
        assert_eq!((anew.uses(), anew.learned().average), (3, whole.learned().average));
        assert_eq!(anew.learned().worth, Tally::of([(Outcome::Pass, 0.3)]).learned().worth);
        assert_eq!(of(3).tally(&constants).learned().worth, Worth::default());
        let utilities = of(2).utilities(&Viewpoint { rule: LearningRule::Worth, ..Viewpoint::default() });
        assert!(utilities[1] < utilities[0] && utilities[0] < 0.5 && utilities[2] > 0.5, "{utilities:?}");
    }

    #[test]
    fn a_pass_and_a_fail_with_the_default_step() {
        assert_eq!(step(0.5, 0.3, 1.0), 0.65);
        assert_eq!(step(0.5, 0.3, 0.0), 0.35);
        assert_eq!(Tally::default().utility(), 0.5);
    }

    #[test]
    fn a_score_is_the_reward_and_the_result_is_counted() {
        let tally = Tally::of([Step::new(Outcome::Fail, Some(0.75), 0.2)]);
        assert_eq!((tally.utility(), tally.passes(), tally.fails()), (0.55, 0, 1));
    }

    #[test]
    fn the_ends_of_the_step_size() {
        assert_eq!(step(0.37, 0.0, 1.0), 0.37);
        assert_eq!(step(0.37, 1.0, 1.0), 1.0);
        assert_eq!(step(0.37, 1.0, 0.0), 0.0);
    }

    #[test]
    fn a_run_that_counts_for_nothing_is_counted_and_moves_nothing() {
        let step = Step::new(Outcome::Fail, None, 0.3);
        let (before, after) = (Tally::of([step]), Tally::of([step, step.weighing(0.0)]));
        assert!(after.learned().is_exactly(before.learned()));
        assert_eq!((after.uses(), after.fails()), (2, 2));
    }

    fn credit() -> impl Strategy<Value = Step> {
        let outcome = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
        let expected = prop::option::of((0.0..=1.0_f64, -0.2..0.2_f64));
        let weight = prop_oneof![Just(1.0), 0.0..=1.0_f64];
        (outcome, prop::option::of(0.0..=1.0_f64), 0.0..=1.0_f64, 0..900_i64, expected, weight).prop_map(
            |(result, score, alpha, day, expected, weight)| {
                let expected = expected.map(|(baseline, others)| Expectation { baseline, others });
                Step::new(result, score, alpha).of_run(day, expected).weighing(weight)
            },
        )
    }

    fn credits() -> impl Strategy<Value = Vec<Step>> {
        prop::collection::vec(credit(), 0..64)
    }

    proptest! {
        #[test]
        fn utilities_stay_in_the_unit_interval(credits in credits()) {
            for rule in [LearningRule::Constant, LearningRule::Worth] {
                let utility = Tally::of(credits.iter().copied()).under(rule).utility();
                prop_assert!((0.0..=1.0).contains(&utility), "{}", utility);
            }
        }

        #[test]
        fn extending_the_cache_equals_folding_from_the_start(credits in credits(), last in credit()) {
            let extended = Tally::of(credits.iter().copied()).with(last, &WorthConstants::default());
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
}

//! Random histories of reviews, and what they should have come to.
//!
//! Everything that a step makes carries the step's number, so that a history in which some steps were changed or dropped
//! makes the same ids in the same places.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reflect_core::{MemoryId, Outcome, ReviewId, Timestamp, TraceId};
use uuid::Uuid;

/// How many memories are there before the first step. They have the numbers from 0; steps count on from there.
pub(crate) const SEEDS: u64 = 4;

const MAX_STEPS: usize = 24;

/// What a review says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) result: Outcome,
    pub(crate) score: Option<f64>,
    pub(crate) alpha: Option<f64>,
}

impl Verdict {
    /// This verdict as a correction of `present`: without a step size of its own it keeps that one's.
    pub(crate) fn in_place_of(self, present: Self) -> Self {
        Self { alpha: self.alpha.or(present.alpha), ..self }
    }
}

/// One thing that happens. `run` is the number of the step that stored the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A run is stored that saw the memories with these numbers (which may not exist), perhaps with its review.
    Run { shown: Vec<u64>, verdict: Option<Verdict> },
    /// A review that is refused if there is another.
    Review { run: u64, verdict: Verdict },
    /// A review that replaces another. All lessons that are due are written first.
    Correct { run: u64, verdict: Verdict },
    /// The review is taken back.
    TakeBack { run: u64 },
    /// All lessons that are due are written.
    Work,
    /// What is left of a step that was left out.
    Nothing,
}

/// Steps with the numbers they have.
pub(crate) type History = Vec<(u64, Step)>;

pub(crate) fn trace_id(number: u64) -> TraceId {
    TraceId::from_uuid(numbered(1, number))
}

pub(crate) fn review_id(number: u64) -> ReviewId {
    ReviewId::from_uuid(numbered(2, number))
}

pub(crate) fn memory_id(number: u64) -> MemoryId {
    MemoryId::from_uuid(numbered(3, number))
}

/// The number of the step that a review came from.
pub(crate) fn number_of(review_id: ReviewId) -> u64 {
    review_id.as_uuid().as_u64_pair().1
}

pub(crate) fn time(number: u64) -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000).plus_millis(i64::try_from(number).unwrap())
}

fn numbered(kind: u64, number: u64) -> Uuid {
    Uuid::from_u64_pair(kind, number)
}

/// Any history. The first two steps store runs, so that there is something to review.
pub(crate) fn histories() -> impl Strategy<Value = History> {
    let first = prop::collection::vec(run(), 2);
    let rest = prop::collection::vec(
        prop_oneof![
            2 => run(),
            3 => (any::<u64>(), verdict()).prop_map(|(run, verdict)| Step::Review { run, verdict }),
            3 => (any::<u64>(), verdict()).prop_map(|(run, verdict)| Step::Correct { run, verdict }),
            2 => any::<u64>().prop_map(|run| Step::TakeBack { run }),
            1 => Just(Step::Work),
        ],
        0..MAX_STEPS,
    );
    (first, rest).prop_map(|(first, rest)| number(first.into_iter().chain(rest)))
}

fn run() -> impl Strategy<Value = Step> {
    let shown = prop::collection::vec(prop_oneof![3 => 0..SEEDS, 1 => 0..SEEDS + 12], 0..4);
    (shown, prop::option::of(verdict())).prop_map(|(shown, verdict)| Step::Run { shown, verdict })
}

fn verdict() -> impl Strategy<Value = Verdict> {
    let result = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
    let alpha = prop_oneof![Just(None), Just(Some(0.0)), Just(Some(1.0)), (0.0..=1.0_f64).prop_map(Some)];
    let score = prop::option::weighted(0.3, 0.0..=1.0_f64);
    (result, score, alpha).prop_map(|(result, score, alpha)| Verdict { result, score, alpha })
}

/// Gives steps their numbers, and lets any `run` mean one of those that are there.
fn number(steps: impl Iterator<Item = Step>) -> History {
    let mut runs: Vec<u64> = Vec::new();
    let mut history = History::new();
    for (mut step, number) in steps.zip(SEEDS..) {
        match &mut step {
            Step::Run { .. } => runs.push(number),
            Step::Review { run, .. } | Step::Correct { run, .. } | Step::TakeBack { run } => {
                *run = runs[usize::try_from(*run % runs.len() as u64).unwrap()];
            }
            Step::Work | Step::Nothing => {}
        }
        history.push((number, step));
    }
    history
}

/// The history in which every first review carried what it was corrected to, and no correction came.
pub(crate) fn corrected_from_the_start(history: &History) -> History {
    let mut changed = history.clone();
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    for (index, (number, step)) in history.iter().enumerate() {
        match *step {
            Step::Run { verdict: Some(_), .. } => {
                live.insert(*number, index);
            }
            Step::Review { run, .. } => {
                live.entry(run).or_insert(index);
            }
            Step::Correct { run, verdict } => match live.get(&run) {
                None => {
                    live.insert(run, index);
                }
                Some(&first) => {
                    set_verdict(&mut changed[first].1, verdict);
                    changed[index].1 = Step::Work;
                }
            },
            Step::TakeBack { run } => {
                live.remove(&run);
            }
            Step::Run { verdict: None, .. } | Step::Work | Step::Nothing => {}
        }
    }
    changed
}

/// The history without the reviews that were taken back, and without their taking back.
pub(crate) fn without_those_taken_back(history: &History) -> History {
    let mut changed = history.clone();
    // The steps that touched each run's review since it was last without one.
    let mut touched: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (index, (number, step)) in history.iter().enumerate() {
        match *step {
            Step::Run { verdict: Some(_), .. } => touched.entry(*number).or_default().push(index),
            Step::Review { run, .. } | Step::Correct { run, .. } => touched.entry(run).or_default().push(index),
            Step::TakeBack { run } => {
                for touch in touched.remove(&run).unwrap_or_default() {
                    drop_review(&mut changed[touch].1);
                }
                changed[index].1 = Step::Nothing;
            }
            Step::Run { verdict: None, .. } | Step::Work | Step::Nothing => {}
        }
    }
    changed
}

fn set_verdict(step: &mut Step, corrected: Verdict) {
    match step {
        Step::Run { verdict, .. } => {
            *verdict = Some(verdict.map_or(corrected, |present| corrected.in_place_of(present)))
        }
        Step::Review { verdict, .. } | Step::Correct { verdict, .. } => *verdict = corrected.in_place_of(*verdict),
        Step::TakeBack { .. } | Step::Work | Step::Nothing => panic!("not a review: {step:?}"),
    }
}

/// A correction has all due lessons written, and that much stays of it.
fn drop_review(step: &mut Step) {
    match step {
        Step::Run { verdict, .. } => *verdict = None,
        Step::Review { .. } => *step = Step::Nothing,
        Step::Correct { .. } => *step = Step::Work,
        Step::TakeBack { .. } | Step::Work | Step::Nothing => panic!("not a review: {step:?}"),
    }
}

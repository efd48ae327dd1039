//! The trial slot: now and then the first place goes to one of the best at random.
//!
//! It lets a retired memory come back, and it makes known how probable every answer was, which is what later questions of the kind "what
//! if" rest on.

use crate::Entropy;

/// How often a slot is on trial, and among how many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialSlot {
    /// The share of queries, from 0 to 1.
    pub share: f64,
    /// How many of the best it may go to.
    pub among: usize,
}

impl Default for TrialSlot {
    fn default() -> Self {
        Self { share: 0.05, among: 20 }
    }
}

/// The random numbers of one query, each in [0, 1).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TrialDraw {
    /// Decides whether there is a trial.
    pub whether: f64,
    /// Decides who gets it.
    pub who: f64,
}

impl TrialDraw {
    /// Draws them.
    pub fn from_entropy(entropy: &dyn Entropy) -> Self {
        let fraction = || f64::from(entropy.number()) / (f64::from(u32::MAX) + 1.0);
        Self { whether: fraction(), who: fraction() }
    }
}

impl TrialSlot {
    /// Whose turn it is: a position among `ranked` memories, or nobody's.
    pub fn pick(&self, ranked: usize, draw: TrialDraw) -> Option<usize> {
        let among = self.among.min(ranked);
        let is_trial = among > 1 && draw.whether < self.share;
        is_trial.then(|| ((draw.who * among as f64) as usize).min(among.saturating_sub(1)))
    }

    /// Every slate that a query might have shown, with its probability. `slate` builds the one with that position first.
    pub fn odds(&self, ranked: usize, slate: impl Fn(Option<usize>) -> Vec<usize>) -> SlateOdds {
        let among = self.among.min(ranked);
        let share = if among > 1 { self.share } else { 0.0 };
        let mut odds = SlateOdds::default();
        odds.add(slate(None), 1.0 - share);
        if share > 0.0 {
            (0..among).for_each(|first| odds.add(slate(Some(first)), share / among as f64));
        }
        odds
    }
}

/// The slates that a query might have shown. A slate is a set: the order of its memories does not count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SlateOdds {
    slates: Vec<(Vec<usize>, f64)>,
}

impl SlateOdds {
    /// How probable it was to show exactly these memories.
    pub fn of_slate(&self, slate: &[usize]) -> f64 {
        let slate = as_set(slate.to_vec());
        self.slates.iter().find(|(other, _)| *other == slate).map_or(0.0, |(_, probability)| *probability)
    }

    /// How probable it was to show this memory, beside whichever others.
    pub fn of_position(&self, position: usize) -> f64 {
        let with_it = self.slates.iter().filter(|(slate, _)| slate.binary_search(&position).is_ok());
        with_it.map(|(_, probability)| probability).sum()
    }

    /// Every slate, its positions in rising order, with its probability.
    pub fn iter(&self) -> impl Iterator<Item = (&[usize], f64)> {
        self.slates.iter().map(|(slate, probability)| (slate.as_slice(), *probability))
    }

    fn add(&mut self, slate: Vec<usize>, probability: f64) {
        let slate = as_set(slate);
        match self.slates.iter_mut().find(|(other, _)| *other == slate) {
            Some((_, sum)) => *sum += probability,
            None => self.slates.push((slate, probability)),
        }
    }
}

fn as_set(mut slate: Vec<usize>) -> Vec<usize> {
    slate.sort_unstable();
    slate
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        draws::draws,
        worth::{SlatePlan, slate},
    };

    #[test]
    fn probabilities_are_the_frequencies_of_a_hundred_thousand_draws() {
        let trials = TrialSlot { share: 0.3, among: 20 };
        let retired = |position: usize| [1, 4, 30].contains(&position);
        for (seed, ranked, limit) in [(1, 60, 3), (2, 7, 3)] {
            let build = |first| slate(SlatePlan { ranked, limit, first }, retired);
            let odds = trials.odds(ranked, build);
            let slates: Vec<Vec<usize>> = (0..20.min(ranked)).map(|first| as_set(build(Some(first)))).collect();
            let usual = as_set(build(None));
            let mut draw = draws(seed);
            let mut counts: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
            for _ in 0..100_000 {
                let first = trials.pick(ranked, TrialDraw { whether: draw(), who: draw() });
                let shown = first.map_or(&usual, |first| &slates[first]);
                match counts.get_mut(shown) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(shown.clone(), 1)),
                }
            }
            assert_eq!(counts.len(), odds.iter().count());
            for (slate, probability) in odds.iter() {
                let (frequency, error) =
                    (f64::from(counts[slate]) / 1e5, (probability * (1.0 - probability) / 1e5).sqrt());
                assert!((frequency - probability).abs() < 4.5 * error + 1e-12, "{slate:?}: {frequency} {probability}");
            }
        }
    }

    #[test]
    fn nobody_is_tried_where_there_is_no_choice() {
        let draw = TrialDraw { whether: 0.0, who: 0.999_999 };
        assert_eq!(TrialSlot::default().pick(1, draw), None);
        assert_eq!(TrialSlot { share: 0.0, among: 20 }.pick(50, draw), None);
        assert_eq!(TrialSlot::default().pick(50, draw), Some(19));
    }

    proptest! {
        #[test]
        fn probabilities_add_up(
            (ranked, limit) in (0..60_usize, 0..9_usize), share in 0.0..=1.0_f64, retired in prop::collection::vec(any::<bool>(), 60),
        ) {
            let trials = TrialSlot { share, among: 20 };
            let odds = trials.odds(ranked, |first| slate(SlatePlan { ranked, limit, first }, |position| retired[position]));
            let total: f64 = odds.iter().map(|(_, probability)| probability).sum();
            prop_assert!((total - 1.0).abs() < 1e-9, "{}", total);
            // Each memory's own probability adds up to the mean number of memories shown.
            let shown: f64 = (0..ranked).map(|position| odds.of_position(position)).sum();
            let size: f64 = odds.iter().map(|(slate, probability)| slate.len() as f64 * probability).sum();
            prop_assert!((shown - size).abs() < 1e-9);
            for (slate, probability) in odds.iter() {
                prop_assert_eq!(odds.of_slate(slate), probability);
            }
        }
    }
}

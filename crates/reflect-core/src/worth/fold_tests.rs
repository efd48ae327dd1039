//! The fold against its definition, and what corrections leave behind.

use proptest::prelude::*;

use super::*;
use crate::worth::Expectation;

fn constants() -> WorthConstants {
    WorthConstants { half_life_days: Some(30.0), most_runs: 40.0, ..WorthConstants::default() }
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let alpha = prop_oneof![4 => Just(0.3), 1 => 0.0..=1.0_f64];
    let weight = prop_oneof![4 => Just(1.0), 1 => 0.0..=1.0_f64];
    (0.0..=1.0_f64, alpha, 0.0..=1.0_f64, -0.2..0.2_f64, 0..400_i64, weight).prop_map(
        |(score, alpha, baseline, others, day, weight)| Evidence {
            score,
            alpha,
            expected: Expectation { baseline, others },
            day,
            weight,
        },
    )
}

fn ledger() -> impl Strategy<Value = Vec<Evidence>> {
    prop::collection::vec(evidence(), 0..100)
}

fn failure() -> Evidence {
    Evidence { score: 0.0, alpha: 0.3, expected: Expectation { baseline: 0.5, others: 0.0 }, day: 0, weight: 1.0 }
}

/// The definition, word for word: the weight of every run follows from all that came after it.
fn slowly(ledger: &[Evidence], constants: &WorthConstants) -> (f64, f64) {
    let mut weights: Vec<f64> = Vec::new();
    for (number, run) in ledger.iter().enumerate() {
        let latest = ledger[..number].iter().map(|earlier| earlier.day).max().unwrap_or(run.day);
        let days = (run.day - latest).max(0) as f64;
        let left = constants.half_life_days.map_or(1.0, |half_life| 0.5_f64.powf(days / half_life));
        weights.iter_mut().for_each(|weight| *weight *= left);
        weights.push(run.weight * run.alpha / 0.3);
        let total: f64 = weights.iter().sum();
        if total > constants.most_runs {
            weights.iter_mut().for_each(|weight| *weight *= constants.most_runs / total);
        }
    }
    let residuals = ledger.iter().map(|run| run.score - run.expected.baseline - run.expected.others);
    (residuals.zip(&weights).map(|(residual, weight)| residual * weight).sum(), weights.iter().sum())
}

#[test]
fn a_memory_starts_in_the_middle_and_takes_its_first_step_as_a_constant_step_would() {
    let constants = WorthConstants::default();
    assert_eq!(Worth::default().q_value(&constants), 0.5);
    for score in [0.0, 1.0] {
        let first = Worth::of(&[Evidence { score, ..failure() }], &constants);
        let constant = 0.5 + 0.3 * (score - 0.5);
        assert!((first.q_value(&constants) - constant).abs() < 0.0061, "{}", first.q_value(&constants));
    }
}

#[test]
fn where_nothing_is_known_the_first_step_is_a_constant_one() {
    let constants = WorthConstants::default();
    for (score, alpha) in [(0.0, 0.3), (0.25, 0.3), (1.0, 0.3), (1.0, 0.0)] {
        let evidence = Evidence { score, alpha, expected: Expectation::UNKNOWN, day: 0, weight: 1.0 };
        let utility = Worth::of(&[evidence], &constants).utility(&constants);
        assert!((utility - (0.5 + alpha * (score - 0.5))).abs() < 1e-12, "{utility}");
    }
}

#[test]
fn nine_bare_failures_retire_a_memory_and_time_brings_it_back() {
    let constants = WorthConstants::default();
    let eight = Worth::of(&[failure(); 8], &constants);
    assert_eq!(eight.retirement(&constants), None, "a few failures may be bad luck");
    let retirement = Worth::of(&[failure(); 9], &constants).retirement(&constants).unwrap();
    assert!(retirement.worth < -retirement.deviation && retirement.runs == 9.0);
    let returns_on = retirement.returns_on.unwrap();
    let on = |day| Worth::of(&[failure(); 9], &constants).aged_to(day, &constants).retirement(&constants);
    assert!(on(returns_on).is_none() && on(returns_on - 1).is_some());
    let for_good = WorthConstants { half_life_days: None, ..constants };
    let never = Worth::of(&[failure(); 9], &for_good).retirement(&for_good).unwrap();
    assert_eq!(never.returns_on, None);
}

proptest! {
    #[test]
    fn the_fold_is_the_weighted_sum_of_its_definition(ledger in ledger()) {
        for constants in [constants(), WorthConstants { half_life_days: None, ..constants() }] {
            let (sum, runs, _) = Worth::of(&ledger, &constants).parts();
            let (slow_sum, slow_runs) = slowly(&ledger, &constants);
            prop_assert!((sum - slow_sum).abs() < 1e-9 * slow_runs.max(1.0), "{} {}", sum, slow_sum);
            prop_assert!((runs - slow_runs).abs() < 1e-9 * slow_runs.max(1.0), "{} {}", runs, slow_runs);
        }
    }

    #[test]
    fn extending_the_cache_equals_folding_from_the_start(ledger in ledger(), last in evidence()) {
        let (sum, runs, day) = Worth::of(&ledger, &constants()).parts();
        let extended = Worth::cached(sum, runs, day).with(&last, &constants());
        prop_assert!(extended.is_exactly(&Worth::of(ledger.iter().chain([&last]), &constants())));
    }

    /// A ledger is a list of places. A correction puts another score into its place, a review taken back empties it, and both fold again.
    #[test]
    fn corrections_and_takings_back_end_where_a_history_without_the_mistake_ends(
        truth in prop::collection::vec(prop::option::weighted(0.8, evidence()), 1..120),
        mistakes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0.0..=1.0_f64)), 0..20),
    ) {
        let honest = Worth::of(truth.iter().flatten(), &constants());
        let mut ledger = truth.clone();
        for (place, score) in &mistakes {
            let place = place.index(truth.len());
            ledger[place] = score.map(|score| Evidence { score, ..truth[place].unwrap_or(failure()) });
        }
        // The cache had followed the mistakes; now every place is put right, the last mistake first.
        for (place, _) in mistakes.iter().rev() {
            ledger[place.index(truth.len())] = truth[place.index(truth.len())];
        }
        prop_assert!(Worth::of(ledger.iter().flatten(), &constants()).is_exactly(&honest));
    }

    #[test]
    fn utilities_stay_in_the_unit_interval_and_rise_with_the_score(ledger in ledger(), last in evidence()) {
        let worth = Worth::of(&ledger, &constants());
        prop_assert!((0.0..=1.0).contains(&worth.q_value(&constants())));
        let with = |score: f64| worth.with(&Evidence { score, ..last }, &constants()).mean(&constants());
        prop_assert!(with(1.0) >= with(0.5) && with(0.5) >= with(0.0));
        prop_assert!(worth.deviation(&constants()) <= Worth::default().deviation(&constants()));
    }
}

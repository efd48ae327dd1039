//! The report on runs that were made up, and what it promises, in simulation.

use super::*;
use crate::draws::draws;

fn run(draw: &mut impl FnMut() -> f64, share: f64, (with, without): (f64, f64)) -> AssignedRun {
    let held_out = draw() <= share;
    AssignedRun { held_out, share, passed: Some(draw() <= if held_out { without } else { with }) }
}

fn runs(seed: u64, count: usize, rates: (f64, f64)) -> Vec<AssignedRun> {
    let mut draw = draws(seed);
    (0..count).map(|_| run(&mut draw, 0.2, rates)).collect()
}

#[test]
fn a_large_lift_is_found_and_told() {
    let report = LiftReport::of(&runs(1, 1_000, (0.7, 0.4)));
    assert_eq!(report.verdict, Verdict::Helps);
    assert_eq!(
        report.sentence(),
        "Memories help. 72 % of 800 runs with memories passed and 45 % of 200 runs without: 26.6 points more, between +19.0 and +34.0 if you look once."
    );
    assert_eq!((report.more_runs, report.more_runs_for_ten_points), (None, 215));
    assert_eq!(LiftReport::of(&runs(2, 1_000, (0.4, 0.7))).verdict, Verdict::Hurts);
}

#[test]
fn what_is_not_known_is_said_with_the_runs_that_are_missing() {
    let report = LiftReport::of(&runs(3, 100, (0.6, 0.5)));
    assert_eq!(report.verdict, Verdict::NotKnownYet);
    assert!(
        report.sentence().starts_with("Not known yet. ")
            && report.sentence().contains("more reviewed runs would settle it"),
        "{}",
        report.sentence()
    );
    assert!(report.more_runs_for_ten_points > 800);
    let few = LiftReport::of(&runs(3, 20, (0.6, 0.5)));
    assert_eq!((few.difference, few.verdict), (None, Verdict::NotKnownYet));
    assert!(LiftReport::of(&[]).sentence().starts_with("No runs are held out"));
}

#[test]
fn only_the_runs_since_the_share_was_changed_count() {
    let mut all = runs(4, 500, (0.1, 0.9));
    let newest: Vec<AssignedRun> =
        runs(5, 200, (0.6, 0.5)).into_iter().map(|run| AssignedRun { share: 0.21, ..run }).collect();
    all.extend(&newest);
    assert_eq!(LiftReport::of(&all), LiftReport::of(&newest));
}

#[test]
fn reviews_that_depend_on_the_arm_forbid_a_verdict() {
    let mut draw = draws(6);
    let mut all = runs(7, 2_000, (0.9, 0.2));
    for run in all.iter_mut().filter(|run| !run.held_out) {
        run.passed = run.passed.filter(|_| draw() <= 0.8);
    }
    let report = LiftReport::of(&all);
    assert!(report.reviews_depend_on_arm && report.evidence > 20.0);
    assert_eq!(report.verdict, Verdict::NotKnownYet);
    assert!(report.sentence().starts_with("No verdict: "), "{}", report.sentence());
    for run in all.iter_mut().filter(|run| run.held_out) {
        run.passed = run.passed.filter(|_| draw() <= 0.8);
    }
    assert_eq!(LiftReport::of(&all).verdict, Verdict::Helps);
}

#[test]
fn the_interval_covers() {
    for (count, rates) in [(50, (0.5, 0.5)), (300, (0.02, 0.02)), (300, (0.99, 0.95)), (1_000, (0.6, 0.5))] {
        let mut draw = draws(11);
        let (mut covered, mut shown) = (0, 0);
        for _ in 0..1_000 {
            let (mut with, mut without) = (PassRate::default(), PassRate::default());
            for _ in 0..count {
                let run = run(&mut draw, 0.2, rates);
                if run.held_out { &mut without } else { &mut with }.add(run.passed.unwrap());
            }
            if let Some(difference) = newcombe(with, without) {
                shown += 1;
                covered += u32::from((difference.low..=difference.high).contains(&(rates.0 - rates.1)));
            }
        }
        assert!(
            f64::from(covered) >= 0.93 * f64::from(shown) && shown > 900,
            "{count} {rates:?}: {covered} of {shown}"
        );
    }
}

#[test]
fn looking_after_every_run_gives_few_false_verdicts_and_finds_a_true_difference_in_time() {
    let ends = |seed: u64, rates| {
        let (mut draw, mut process) = (draws(seed), EProcess::default());
        (1..=3_000).find(|_| {
            let run = run(&mut draw, 0.2, rates);
            process.add(run.held_out, run.share, run.passed.unwrap());
            process.value() >= EProcess::VERDICT
        })
    };
    let false_verdicts = (0..300).filter(|seed| ends(seed * 7_919, (0.5, 0.5)).is_some()).count();
    assert!(false_verdicts <= 15, "{false_verdicts} of 300");
    let mut found: Vec<u64> = (0..101).map(|seed| ends(seed * 104_729, (0.6, 0.5)).unwrap_or(u64::MAX)).collect();
    found.sort_unstable();
    let predicted = crate::lift::runs_to_see(0.1, 0.2, 0.5);
    assert!(found[50] < predicted * 13 / 10, "{} {predicted}", found[50]);
}

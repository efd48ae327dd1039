//! Whether the lift report keeps what it promises, in simulation.

use reflect_core::lift::{EProcess, PassRate, newcombe, runs_to_see};

use super::{dice::Dice, parallel::in_parallel};
use crate::say;

const REPETITIONS: usize = 2_000;
const SHARES: [f64; 3] = [0.05, 0.1, 0.2];
const RUNS: [usize; 6] = [50, 100, 300, 1_000, 2_000, 5_000];
const RATES: [(f64, f64); 8] =
    [(0.02, 0.02), (0.1, 0.02), (0.3, 0.2), (0.5, 0.5), (0.6, 0.5), (0.8, 0.9), (0.95, 0.95), (0.99, 0.97)];

/// Prints coverage, false verdicts, and how soon a true difference is found.
pub(super) fn print(threads: usize) {
    say(format_args!("\nLift report, {REPETITIONS} repetitions a cell\n"));
    print_coverage(threads);
    print_false_verdicts(threads);
    print_found(threads);
}

/// The share of intervals that hold the true difference, where one is shown at all: from ten held-out runs on.
fn print_coverage(threads: usize) {
    let cells: Vec<(f64, usize, (f64, f64))> = SHARES
        .iter()
        .flat_map(|share| RUNS.iter().flat_map(move |runs| RATES.iter().map(move |rates| (*share, *runs, *rates))))
        .collect();
    let found = in_parallel(threads, cells.len(), |number| {
        let (share, runs, (with_rate, without_rate)) = cells.get(number).copied()?;
        let mut dice = Dice::new(number as u64 + 1);
        let (mut covered, mut shown) = (0, 0);
        for _ in 0..REPETITIONS {
            let (mut with, mut without) = (PassRate::default(), PassRate::default());
            for _ in 0..runs {
                if dice.toss(share) { without.add(dice.toss(without_rate)) } else { with.add(dice.toss(with_rate)) }
            }
            if let Some(difference) = newcombe(with, without).filter(|_| without.runs >= 10) {
                shown += 1;
                covered += u32::from((difference.low..=difference.high).contains(&(with_rate - without_rate)));
            }
        }
        // A cell that hardly ever shows an interval says nothing of its coverage.
        (shown >= REPETITIONS as u32 / 20).then(|| f64::from(covered) / f64::from(shown))
    });
    let mut found: Vec<(f64, usize)> = (0..).zip(found).filter_map(|(number, cover)| Some((cover?, number))).collect();
    found.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mean = found.iter().map(|(cover, _)| cover).sum::<f64>() / found.len().max(1) as f64;
    if let Some((worst, number)) = found.first() {
        say(format_args!(
            "coverage of the interval of 95 %: mean {mean:.3}, worst {worst:.3} {:?}, {} cells",
            cells.get(*number),
            found.len()
        ));
    }
    let below = found.iter().filter(|(cover, _)| *cover < 0.93).count();
    say(format_args!("{} cells under 0.93: {below}", if below == 0 { "holds:" } else { "FAILS:" }));
}

fn first_verdict(dice: &mut Dice, share: f64, most: usize, rates: (f64, f64)) -> Option<usize> {
    let mut process = EProcess::default();
    (1..=most).find(|_| {
        let held_out = dice.toss(share);
        process.add(held_out, share, dice.toss(if held_out { rates.1 } else { rates.0 }));
        process.value() >= EProcess::VERDICT
    })
}

/// The share of projects without any difference that ever get a verdict within 5,000 runs, looked at after every run.
fn print_false_verdicts(threads: usize) {
    let cells: Vec<(f64, f64)> =
        SHARES.iter().flat_map(|share| [0.02, 0.2, 0.5, 0.9, 0.99].map(|rate| (*share, rate))).collect();
    let found = in_parallel(threads, cells.len(), |number| {
        let (share, rate) = cells.get(number).copied().unwrap_or_default();
        let mut dice = Dice::new(1_000 + number as u64);
        let wrong = (0..REPETITIONS).filter(|_| first_verdict(&mut dice, share, 5_000, (rate, rate)).is_some()).count();
        wrong as f64 / REPETITIONS as f64
    });
    let worst = found.iter().copied().fold(0.0, f64::max);
    let verdict = if worst <= 0.05 { "holds:" } else { "FAILS:" };
    say(format_args!(
        "{verdict} false verdicts, looked at after each of 5,000 runs: worst {worst:.3} of {} cells",
        found.len()
    ));
}

/// The median number of runs to a verdict, beside the number that was predicted.
fn print_found(threads: usize) {
    say(format_args!(
        "\n| held out | difference | predicted runs | median to the verdict | found by the predicted number |\n|---|---|---|---|---|"
    ));
    let cells: Vec<(f64, f64)> = SHARES.iter().flat_map(|share| [0.1, 0.2, -0.1].map(|lift| (*share, lift))).collect();
    let found = in_parallel(threads, cells.len(), |number| {
        let (share, lift) = cells.get(number).copied().unwrap_or_default();
        let mut dice = Dice::new(2_000 + number as u64);
        let mut runs: Vec<usize> =
            (0..400).map(|_| first_verdict(&mut dice, share, 30_000, (0.5 + lift, 0.5)).unwrap_or(30_000)).collect();
        runs.sort_unstable();
        runs
    });
    for ((share, lift), runs) in cells.iter().zip(found) {
        let predicted = runs_to_see(*lift, *share, 0.5);
        let by_then = runs.iter().filter(|runs| **runs as u64 <= predicted).count() as f64 / runs.len().max(1) as f64;
        let median = runs.get(runs.len() / 2).copied().unwrap_or_default();
        say(format_args!("| {share:.2} | {:+.0} points | {predicted} | {median} | {by_then:.2} |", lift * 100.0));
    }
}

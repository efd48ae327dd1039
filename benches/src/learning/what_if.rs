//! Whether estimates of other configurations hold the truth, in simulation.

use reflect_core::{
    Timestamp, TraceId,
    what_if::{
        Configuration, Evaluation, MixedAnswer, MixedQuery, Mixture, MixturePeriod, PossibleAnswer, Refusal, Resolved,
        draw,
    },
    worth::{RULE_VERSION, SittingOut, SlateDraw, TrialSlot, Worth, WorthConstants},
};
use uuid::Uuid;

use super::{
    dice::Dice,
    parallel::in_parallel,
    simulated_query::{SimulatedLesson, SimulatedQuery},
};
use crate::say;

const REPETITIONS: usize = 400;
const LENGTHS: [usize; 3] = [500, 2_000, 6_000];
const LESSONS: usize = 12;
/// What four runs of five are answered with.
const ASKED: Resolved = Resolved { lambda: 0.5, limit: 5, similarity_threshold: None };
/// What the others are drawn from.
const DRAWN: [Configuration; 4] = [weight(0.3), weight(0.7), at_most(1), at_most(3)];
const NEVER_DRAWN: Configuration = at_most(2);

const fn weight(lambda: f64) -> Configuration {
    Configuration { lambda: Some(lambda), limit: None, similarity_threshold: None }
}

const fn at_most(limit: usize) -> Configuration {
    Configuration { lambda: None, limit: Some(limit), similarity_threshold: None }
}

/// How far off an estimate is, how far it said that it might be, and whether it was right about that.
type Found = Result<(f64, f64, bool), Refusal>;

/// Prints coverage and refusals for several targets and lengths of log.
pub(super) fn print(threads: usize) {
    let title = "What if: a fifth of the runs drawn from four configurations, and the trial slot";
    say(format_args!("\n{title}; {REPETITIONS} repetitions a row\n"));
    say(format_args!("| target | logged runs | refused | estimates that hold the truth | mean error | half-width |"));
    say(format_args!("|---|---|---|---|---|---|"));
    let targets: Vec<Configuration> = DRAWN.into_iter().chain([Configuration::default(), NEVER_DRAWN]).collect();
    for runs in LENGTHS {
        let found = in_parallel(threads, REPETITIONS, |number| repetition(number as u64 + 1, runs, &targets));
        for (position, target) in targets.iter().enumerate() {
            let of_target: Vec<Found> = found.iter().filter_map(|found| found.get(position).copied()).collect();
            print_row(&target.resolved(&ASKED), runs, &of_target);
        }
    }
}

fn print_row(target: &Resolved, runs: usize, found: &[Found]) {
    let given: Vec<(f64, f64, bool)> = found.iter().filter_map(|found| found.ok()).collect();
    let refused = 1.0 - given.len() as f64 / found.len().max(1) as f64;
    let start = format!("| λ {}, at most {} | {runs} | {refused:.2} |", target.lambda, target.limit);
    if given.is_empty() {
        let reason = found.iter().find_map(|found| found.err()).map(|reason| reason.to_string());
        say(format_args!("{start} none: {} | | |", reason.unwrap_or_default()));
        return;
    }
    let mean = |figure: fn(&(f64, f64, bool)) -> f64| given.iter().map(figure).sum::<f64>() / given.len() as f64;
    let cover = mean(|found| f64::from(u8::from(found.2)));
    let mark = if cover < 0.9 { " FAILS" } else { "" };
    let (error, width) = (100.0 * mean(|found| found.0.abs()), 100.0 * mean(|found| found.1));
    say(format_args!("{start} {cover:.3}{mark} | {error:.1} points | {width:.1} points |"));
}

/// One log, and what it says of each target.
fn repetition(seed: u64, runs: usize, targets: &[Configuration]) -> Vec<Found> {
    let mut dice = Dice::new(seed);
    let parts = Mixture { share: 0.2, configurations: DRAWN.to_vec() }.parts();
    let (mut period, mut truths) = (MixturePeriod::default(), vec![0.0; targets.len()]);
    for number in 0..runs {
        let (query, effects) = draw_query(&mut dice);
        let rate = |slate: &[usize]| {
            let effects = slate.iter().filter_map(|position| effects.get(*position));
            (0.45 + effects.sum::<f64>()).clamp(0.02, 0.98)
        };
        let (drawn, shown) = draw_slate(&parts, &query, &mut dice);
        let score = f64::from(u8::from(dice.toss(rate(&shown))));
        for (target, truth) in targets.iter().zip(&mut truths) {
            // What it would have shown this time.
            *truth += rate(&query.slate(&target.resolved(&ASKED), slate_draw(&mut dice))) / runs as f64;
        }
        let possible = parts.iter().map(|&(configuration, probability)| {
            let agreement = query.agreement(&configuration.resolved(&ASKED), &shown);
            PossibleAnswer { configuration, probability, agreement }
        });
        let answer = MixedAnswer {
            number: (number as u64).cast_signed(),
            asked: ASKED,
            possible: possible.collect(),
            drawn,
            rule_version: RULE_VERSION,
        };
        let trace_id = TraceId::from_uuid(Uuid::from_u128(u128::from(number as u64)));
        let run = Some((trace_id, Some(score)));
        period.add(MixedQuery { answer, asked_at: Timestamp::from_micros(0), run });
    }
    targets.iter().zip(truths).map(|(target, truth)| judge(&period.evaluate(target), truth)).collect()
}

fn judge(evaluation: &Evaluation, truth: f64) -> Found {
    let estimate = evaluation.target?;
    let holds = (estimate.low..=estimate.high).contains(&truth);
    Ok((estimate.value - truth, (estimate.high - estimate.low) / 2.0, holds))
}

/// Lessons around a task, with what they truly add.
fn draw_query(dice: &mut Dice) -> (SimulatedQuery, Vec<f64>) {
    let drawn = (0..LESSONS).map(|_| {
        let effect = 0.08 * dice.normal();
        let constants = WorthConstants::default();
        let (worth, runs) = (constants.prior_worth + 0.3 * effect + 0.02 * dice.normal(), 60.0);
        let sum = worth * (runs + constants.prior_runs) - constants.prior_runs * constants.prior_worth;
        let learned = Worth::cached(sum, runs, 0);
        let sits_out = SittingOut::default().chance(&learned, None, &constants, false);
        let lesson = SimulatedLesson {
            cosine: dice.between(0.4, 0.95),
            utility: learned.utility(&constants),
            is_retired: learned.is_retired(&constants),
            sits_out,
        };
        (lesson, effect)
    });
    let (lessons, effects) = drawn.unzip();
    (SimulatedQuery::new(lessons, 0.4, TrialSlot::default()), effects)
}

/// What is drawn, and what it shows.
fn draw_slate(parts: &[(Configuration, f64)], query: &SimulatedQuery, dice: &mut Dice) -> (usize, Vec<usize>) {
    let drawn = draw(parts, dice.fraction());
    let configuration = parts.get(drawn).map_or(ASKED, |(configuration, _)| configuration.resolved(&ASKED));
    let draw = slate_draw(dice);
    (drawn, query.slate(&configuration, draw))
}

fn slate_draw(dice: &mut Dice) -> SlateDraw {
    SlateDraw { whether: dice.fraction(), who: dice.fraction(), coins: dice.next() }
}

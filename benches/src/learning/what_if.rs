//! Whether estimates of other configurations hold the truth, in simulation.

use reflect_core::{
    what_if::{Configuration, LoggedCandidate, LoggedQuery, LoggedRun, Mixture, Refusal, estimate},
    worth::{RULE_VERSION, TrialDraw, TrialSlot, WorthConstants},
};

use super::{dice::Dice, parallel::in_parallel};
use crate::say;

const REPETITIONS: usize = 200;
const LENGTHS: [usize; 3] = [500, 2_000, 6_000];
const CANDIDATES: usize = 12;
/// What four runs of five are answered with.
const USUAL: Configuration = configuration(0.5, 3);
/// What the others are drawn from.
const DRAWN: [Configuration; 4] =
    [configuration(0.3, 3), configuration(0.7, 3), configuration(0.5, 1), configuration(0.5, 5)];
const NEVER_DRAWN: Configuration = configuration(0.5, 2);

const fn configuration(lambda: f64, limit: usize) -> Configuration {
    Configuration { lambda, limit, similarity_threshold: None }
}

/// How far off an estimate is, how far it said that it might be, and whether it was right about that.
type Found = Result<(f64, f64, bool), Refusal>;

/// Prints coverage and refusals for several targets and lengths of log.
pub(super) fn print(threads: usize) {
    let title = "What if: a fifth of the runs drawn from four configurations, and the trial slot";
    say(format_args!("\n{title}; {REPETITIONS} repetitions a row\n"));
    say(format_args!("| target | logged runs | refused | estimates that hold the truth | mean error | half-width |"));
    say(format_args!("|---|---|---|---|---|---|"));
    let targets: Vec<Configuration> = DRAWN.into_iter().chain([NEVER_DRAWN]).collect();
    for runs in LENGTHS {
        let found = in_parallel(threads, REPETITIONS, |number| repetition(number as u64 + 1, runs, &targets));
        for (position, target) in targets.iter().enumerate() {
            let of_target: Vec<Found> = found.iter().filter_map(|found| found.get(position).copied()).collect();
            print_row(target, runs, &of_target);
        }
    }
}

fn print_row(target: &Configuration, runs: usize, found: &[Found]) {
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
    let (mut dice, constants) = (Dice::new(seed), WorthConstants::default());
    let parts = DRAWN.into_iter().map(|drawn| (drawn, 0.05)).chain([(USUAL, 0.8)]).collect();
    let mixture = Mixture { parts, trials: TrialSlot::default() };
    let mut logs = vec![(Vec::new(), 0.0); targets.len()];
    for _ in 0..runs {
        let (candidates, effects) = candidates(&mut dice);
        let query = LoggedQuery::new(&candidates, 0.4, &constants);
        let rate = |slate: &[usize]| {
            let effects = slate.iter().filter_map(|position| effects.get(*position));
            (0.45 + effects.sum::<f64>()).clamp(0.02, 0.98)
        };
        let shown = draw_slate(&mixture, &query, &mut dice);
        let score = f64::from(u8::from(dice.toss(rate(&shown))));
        let probability = mixture.probability(&query, &shown);
        for (target, (log, truth)) in targets.iter().zip(&mut logs) {
            let wanted = query.slate(target);
            *truth += rate(&wanted) / runs as f64;
            let matches = same(&shown, &wanted);
            let supported = *target != NEVER_DRAWN || mixture.probability(&query, &wanted) > 0.0;
            log.push(LoggedRun { score, probability, matches, supported, rule_version: RULE_VERSION });
        }
    }
    logs.iter().map(|(log, truth)| judge(log, *truth)).collect()
}

fn judge(log: &[LoggedRun], truth: f64) -> Found {
    let estimate = estimate(log)?;
    let holds = (estimate.low..=estimate.high).contains(&truth);
    Ok((estimate.value - truth, (estimate.high - estimate.low) / 2.0, holds))
}

/// Lessons around a task, with what they truly add.
fn candidates(dice: &mut Dice) -> (Vec<LoggedCandidate>, Vec<f64>) {
    let drawn = (0..CANDIDATES).map(|_| {
        let effect = 0.08 * dice.normal();
        let utility = 0.5 + 12.3 * (0.3 * effect + 0.02 * dice.normal());
        (LoggedCandidate { cosine: dice.between(0.4, 0.95), utility, is_retired: utility < 0.008 }, effect)
    });
    drawn.unzip()
}

fn draw_slate(mixture: &Mixture, query: &LoggedQuery<'_>, dice: &mut Dice) -> Vec<usize> {
    let (mut share, drawn) = (0.0, dice.fraction());
    let part = mixture.parts.iter().find(|(_, probability)| {
        share += probability;
        drawn < share
    });
    let Some((configuration, _)) = part.or(mixture.parts.last()) else { return Vec::new() };
    let draw = TrialDraw { whether: dice.fraction(), who: dice.fraction() };
    query.slate_with_trial(configuration, mixture.trials.pick(query.candidates.len(), draw))
}

fn same(left: &[usize], right: &[usize]) -> bool {
    left.len() == right.len() && left.iter().all(|position| right.contains(position))
}

//! The tables: success by world and rule, and what the rule promises.

use super::{
    play::{HORIZONS, LeftOut, Outcome},
    rules::{Field, OURS},
    statistics::Mean,
    world::World,
};
use crate::say;

/// All outcomes of one world.
pub(super) struct Played {
    pub(super) world: World,
    pub(super) outcomes: Vec<Outcome>,
}

impl Played {
    /// The mean over the seeds of a figure at a horizon.
    fn mean(&self, figure: impl Fn(&Outcome) -> f64) -> Mean {
        Mean::of(&self.outcomes.iter().map(figure).collect::<Vec<_>>())
    }

    /// How far ours is ahead.
    fn lead(&self, other: &str, horizon: usize) -> Mean {
        self.mean(|outcome| at(&outcome.of(OURS), horizon) - at(&outcome.of(other), horizon))
    }
}

fn at(success: &[f64], horizon: usize) -> f64 {
    success.get(horizon).copied().unwrap_or_default()
}

/// A row for each world with a name.
pub(super) fn print_named(named: &[Played], Field { rules, rival }: &Field) {
    if named.is_empty() {
        return;
    }
    let names: String = rules.iter().map(|rule| format!(" {} |", rule.name)).collect();
    let seeds = named.iter().map(|played| played.outcomes.len()).min().unwrap_or_default();
    for (horizon, runs) in HORIZONS.iter().enumerate() {
        say(format_args!("\nSuccess over the last fifth of {runs} runs, at least {seeds} seeds\n"));
        say(format_args!("| world | no memory |{names} oracle | {OURS} − {rival}, points |"));
        say(format_args!("|---|---|{}---|---|", "---|".repeat(rules.len())));
        for played in named {
            let success = |name| played.mean(|outcome| at(&outcome.of(name), horizon)).value;
            let cells: String = rules.iter().map(|rule| format!(" {:.3} |", success(rule.name))).collect();
            let without = played.mean(|outcome| at(&outcome.without, horizon)).value;
            let oracle = played.mean(|outcome| at(&outcome.oracle, horizon)).value;
            let lead = played.lead(rival, horizon).points();
            say(format_args!("| {} | {without:.3} |{cells} {oracle:.3} | {lead} |", played.world.name));
        }
    }
}

/// Gains over no memory, and how far ours is ahead of each rule, over all worlds.
pub(super) fn print_means(title: &str, played: &[Played], field: &Field) {
    if played.is_empty() {
        return;
    }
    say(format_args!("\n{} {title}: gain over no memory in points, ± one standard error over worlds\n", played.len()));
    say(format_args!("| rule |{}", HORIZONS.map(|runs| format!(" {runs} runs |")).concat()));
    say(format_args!("|---|{}", "---|".repeat(HORIZONS.len())));
    for rule in &field.rules {
        print_row(rule.name, |horizon| {
            over_worlds(played, |outcome| at(&outcome.of(rule.name), horizon) - at(&outcome.without, horizon))
        });
    }
    print_row("oracle", |horizon| {
        over_worlds(played, |outcome| at(&outcome.oracle, horizon) - at(&outcome.without, horizon))
    });
    for rule in field.rules.iter().filter(|rule| rule.name != OURS) {
        print_row(&format!("{OURS} − {}, paired", rule.name), |horizon| paired(played, rule.name, horizon));
    }
}

fn print_row(name: &str, gain: impl Fn(usize) -> Mean) {
    let cells: String = (0..HORIZONS.len()).map(|horizon| format!(" {} |", gain(horizon).points())).collect();
    say(format_args!("| {name} |{cells}"));
}

fn over_worlds(worlds: &[Played], figure: impl Fn(&Outcome) -> f64 + Copy) -> Mean {
    Mean::of(&worlds.iter().map(|played| played.mean(figure).value).collect::<Vec<_>>())
}

fn paired(worlds: &[Played], other: &str, horizon: usize) -> Mean {
    over_worlds(worlds, |outcome| at(&outcome.of(OURS), horizon) - at(&outcome.of(other), horizon))
}

/// What is left out in the end, in all worlds together.
pub(super) fn print_left_out(played: &[Played], field: &Field) {
    say(format_args!("\n| left out after the last run | harmful | neutral | helpful |\n|---|---|---|---|"));
    for rule in &field.rules {
        let outcomes = played.iter().flat_map(|played| &played.outcomes);
        let LeftOut { harmful, neutral, helpful } =
            outcomes.fold(LeftOut::default(), |all, outcome| all.and(outcome.left_out(rule.name)));
        say(format_args!("| {} | {harmful} | {neutral} | {helpful} |", rule.name));
    }
}

/// What the rule promises, and whether it is so.
pub(super) fn print_checks(named: &[Played], random: &[Played]) {
    const CONSTANT: &str = "constant step";
    say(format_args!(""));
    for (other, horizon) in [(CONSTANT, 1), (CONSTANT, 2), ("success ratio", 2)] {
        let gain = paired(random, other, horizon);
        let runs = HORIZONS.get(horizon).copied().unwrap_or_default();
        let what = format!("{} points ahead of {other} at {runs} runs, over {} worlds", gain.points(), random.len());
        print_check(gain.value > 2.0 * gain.error, &what);
    }
    for (horizon, runs) in HORIZONS.iter().enumerate() {
        let lead = |played: &Played| played.lead(CONSTANT, horizon);
        let Some(worst) = named.iter().min_by(|left, right| lead(left).value.total_cmp(&lead(right).value)) else {
            continue;
        };
        let what = format!(
            "against the {CONSTANT} at {runs} runs, the worst named world is `{}`: {}",
            worst.world.name,
            lead(worst).points()
        );
        print_check(lead(worst).value >= -0.01, &what);
    }
    for played in named.iter().filter(|played| played.world.is_null()) {
        let harm = played.mean(|outcome| at(&outcome.of(OURS), 2) - at(&outcome.without, 2));
        print_check(
            harm.value.abs() <= 0.005,
            &format!("`{}`: {} against no memory", played.world.name, harm.points()),
        );
    }
}

fn print_check(holds: bool, what: &str) {
    say(format_args!("{} {what}", if holds { "holds:" } else { "FAILS:" }));
}

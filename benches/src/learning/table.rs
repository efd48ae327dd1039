//! The tables: success by world and rule, and what the rule promises.

use super::{
    play::{HORIZONS, Outcome},
    rules::Rule,
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

    fn gain(&self, rule: Rule, over: Rule, horizon: usize) -> Mean {
        self.mean(|outcome| at(&outcome.of(rule), horizon) - at(&outcome.of(over), horizon))
    }
}

fn at(success: &[f64], horizon: usize) -> f64 {
    success.get(horizon).copied().unwrap_or_default()
}

/// A row for each world with a name.
pub(super) fn print_named(named: &[Played]) {
    let rules: String = Rule::ALL.iter().map(|rule| format!(" {} |", rule.name())).collect();
    for (horizon, runs) in HORIZONS.iter().enumerate() {
        say(format_args!("\nSuccess over the last fifth of {runs} runs\n"));
        say(format_args!("| world | no memory |{rules} oracle | worth+trial − constant, points |"));
        say(format_args!("|---|---|{}---|---|", "---|".repeat(Rule::ALL.len())));
        for played in named {
            let cell = |rule: &Rule| format!(" {:.3} |", played.mean(|outcome| at(&outcome.of(*rule), horizon)).value);
            let cells: String = Rule::ALL.iter().map(cell).collect();
            let without = played.mean(|outcome| at(&outcome.without, horizon)).value;
            let oracle = played.mean(|outcome| at(&outcome.oracle, horizon)).value;
            let gain = played.gain(Rule::WorthWithTrials, Rule::Constant, horizon).points();
            say(format_args!("| {} | {without:.3} |{cells} {oracle:.3} | {gain} |", played.world.name));
        }
    }
}

/// Gains over no memory, over all random worlds.
pub(super) fn print_random(random: &[Played]) {
    say(format_args!(
        "\n{} random worlds: gain over no memory in points, ± one standard error over worlds\n",
        random.len()
    ));
    say(format_args!("| rule |{}", HORIZONS.map(|runs| format!(" {runs} runs |")).concat()));
    say(format_args!("|---|{}", "---|".repeat(HORIZONS.len())));
    for rule in Rule::ALL {
        let gain =
            |horizon| over_worlds(random, |outcome| at(&outcome.of(rule), horizon) - at(&outcome.without, horizon));
        print_gains(rule.name(), gain);
    }
    print_gains("oracle", |horizon| {
        over_worlds(random, |outcome| at(&outcome.oracle, horizon) - at(&outcome.without, horizon))
    });
    for other in [Rule::Constant, Rule::Ratio, Rule::Thompson, Rule::MemRl] {
        let name = format!("worth+trial − {}, paired", other.name());
        print_gains(&name, |horizon| paired(random, other, horizon));
    }
}

fn print_gains(name: &str, gain: impl Fn(usize) -> Mean) {
    let cells: String = (0..HORIZONS.len()).map(|horizon| format!(" {} |", gain(horizon).points())).collect();
    say(format_args!("| {name} |{cells}"));
}

fn over_worlds(random: &[Played], figure: impl Fn(&Outcome) -> f64 + Copy) -> Mean {
    Mean::of(&random.iter().map(|played| played.mean(figure).value).collect::<Vec<_>>())
}

fn paired(random: &[Played], other: Rule, horizon: usize) -> Mean {
    let ours = Rule::WorthWithTrials;
    over_worlds(random, |outcome| at(&outcome.of(ours), horizon) - at(&outcome.of(other), horizon))
}

/// What the rule promises, and whether it is so.
pub(super) fn print_checks(named: &[Played], random: &[Played]) {
    say(format_args!(""));
    for (other, horizon) in [(Rule::Constant, 1), (Rule::Constant, 2), (Rule::Ratio, 2)] {
        let gain = paired(random, other, horizon);
        let runs = HORIZONS.get(horizon).copied().unwrap_or_default();
        let what =
            format!("{} points ahead of {} at {runs} runs, over {} worlds", gain.points(), other.name(), random.len());
        print_check(gain.value > 2.0 * gain.error, &what);
    }
    for (horizon, runs) in HORIZONS.iter().enumerate() {
        let gain = |played: &Played| played.gain(Rule::WorthWithTrials, Rule::Constant, horizon);
        let Some(worst) = named.iter().min_by(|left, right| gain(left).value.total_cmp(&gain(right).value)) else {
            continue;
        };
        let what = format!(
            "against constant at {runs} runs, the worst named world is `{}`: {}",
            worst.world.name,
            gain(worst).points()
        );
        print_check(gain(worst).value >= -0.01, &what);
    }
    for played in named.iter().filter(|played| played.world.is_null()) {
        let harm = played.mean(|outcome| at(&outcome.of(Rule::WorthWithTrials), 2) - at(&outcome.without, 2));
        print_check(
            harm.value.abs() <= 0.005,
            &format!("`{}`: {} against no memory", played.world.name, harm.points()),
        );
    }
}

fn print_check(holds: bool, what: &str) {
    say(format_args!("{} {what}", if holds { "holds:" } else { "FAILS:" }));
}

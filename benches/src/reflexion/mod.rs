//! Does reflection pay? Simulated tasks with a model of chance, judges that err, and every strategy at the same number of calls.
//!
//! The loop, the prompts and the reflector are the real ones; only the model and the truth are simulated, with figures that stand as
//! constants in `model.rs`. What the table shows is a shape, not a promise about any model: false passes end a run with a wrong
//! answer, false fails only cost a trial and a wrong lesson.

mod dice;
mod form;
mod judge;
mod model;
mod tally;

use std::sync::{Arc, Mutex};

use reflection::{LlmReflector, LlmReflectorOptions};
use reflexion::{ChatActor, Reflexion, Strategy, StuckDetection};

use crate::say;
use dice::Dice;
use judge::{Noise, NoisyJudge, World};
use model::StochasticModel;
use tally::{Difference, Tally};

/// The calls that every strategy may make for one task: what three trials with lessons take, an evaluation counted as a call. A lesson that
/// says the same as the one before is sent back, which takes one more; the table's last row has what all took on average.
const CALLS: u32 = 8;

/// A way to spend them.
#[derive(Debug, Clone, Copy)]
struct Way {
    name: &'static str,
    strategy: Strategy,
    trials: u32,
}

/// A trial is an attempt and an evaluation; one with a lesson after it is three calls. What is told nothing gets as many trials as
/// lessons do once (`nothing`), and once all that the same calls pay for (`resampling`).
const WAYS: [Way; 5] = [
    Way { name: "nothing", strategy: Strategy::Nothing, trials: 3 },
    Way { name: "last attempt", strategy: Strategy::LastAttempt, trials: 4 },
    Way { name: "lessons", strategy: Strategy::Lessons, trials: 3 },
    Way { name: "both", strategy: Strategy::LastAttemptAndLessons, trials: 3 },
    Way { name: "resampling", strategy: Strategy::Nothing, trials: 4 },
];

/// Prints the tables.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let tasks = match options {
        [] => 2_000,
        ["--tasks", tasks] => tasks.parse()?,
        _ => anyhow::bail!("usage: reflect-bench reflexion [--tasks N]"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    say(format_args!(
        "{tasks} tasks a cell, {CALLS} calls a task (one more where a lesson is sent back); right answers in %, with 95 % intervals\n"
    ));
    say(format_args!("judge errs (false pass / false fail)    {}", heading()));
    let mut rows = Vec::new();
    for (false_pass, false_fail) in
        [(0.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.3, 0.0), (0.0, 0.1), (0.0, 0.2), (0.0, 0.3), (0.1, 0.1), (0.3, 0.3)]
    {
        let noise = Noise { false_pass, false_fail };
        let row = runtime.block_on(measure(World::Learnable, noise, tasks))?;
        say(format_args!(
            "{:>12.0} % / {:>3.0} %                   {}",
            false_pass * 100.0,
            false_fail * 100.0,
            cells(&row)
        ));
        rows.push((noise, row));
    }
    let luck = runtime.block_on(measure(World::Luck, Noise { false_pass: 0.0, false_fail: 0.0 }, tasks))?;
    say(format_args!("\nfailures are bad luck (0 % / 0 %)     {}", cells(&luck)));
    say(format_args!("calls a task, on average              {}\n", calls(&rows)));
    conclude(&rows, &luck);
    Ok(())
}

fn heading() -> String {
    WAYS.iter().map(|way| format!("{:>16}", way.name)).collect()
}

fn cells(row: &[Tally]) -> String {
    row.iter().map(|tally| format!("{:>16}", tally.to_string())).collect()
}

fn calls(rows: &[(Noise, Vec<Tally>)]) -> String {
    let sound = rows.first().map(|(_, row)| row.as_slice()).unwrap_or_default();
    sound.iter().map(|tally| format!("{:>16.1}", tally.calls_a_task())).collect()
}

/// One row of the table: every way over the same tasks.
async fn measure(world: World, noise: Noise, tasks: u32) -> anyhow::Result<Vec<Tally>> {
    let mut row = Vec::with_capacity(WAYS.len());
    for way in WAYS {
        row.push(measure_way(way, world, noise, tasks).await?);
    }
    Ok(row)
}

async fn measure_way(way: Way, world: World, noise: Noise, tasks: u32) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    for seed in 0..u64::from(tasks) {
        let (right, calls) = one_run(way, world, noise, seed).await?;
        tally.add(right, calls);
    }
    Ok(tally)
}

/// Whether the answer is right in truth, whatever the judge said, and how many calls it took.
async fn one_run(way: Way, world: World, noise: Noise, seed: u64) -> anyhow::Result<(bool, u32)> {
    let mut dice = Dice::new(seed);
    let truth = form::draw_values(&mut dice);
    let model = Arc::new(StochasticModel::new(truth, seed ^ 0x00C0_FFEE));
    let judge = NoisyJudge { truth, noise, world, dice: Mutex::new(Dice::new(seed ^ 0x0BAD_5EED)) };
    let reflexion = Reflexion::builder(ChatActor::new(model.clone()))
        .evaluator(judge)
        .reflector(LlmReflector::new(model.clone(), LlmReflectorOptions::default()))
        .strategy(way.strategy)
        .max_trials(way.trials)
        .stuck_detection(StuckDetection::off())
        .build()?;
    let outcome = reflexion.run(format!("Fill the form {seed}: four fields, each a, b, c or d.")).await?;
    let evaluations = u32::try_from(outcome.trials.len())?;
    let calls = model.calls() + evaluations;
    Ok((form::read(&outcome.answer) == Some(truth), calls))
}

/// What the table says in words, each held against its interval.
fn conclude(rows: &[(Noise, Vec<Tally>)], luck: &[Tally]) {
    let cell = |false_pass: f64, false_fail: f64, way: usize| {
        let found = rows.iter().find(|(noise, _)| *noise == Noise { false_pass, false_fail });
        found.and_then(|(_, row)| row.get(way)).copied().unwrap_or_default()
    };
    const LESSONS: usize = 2;
    const RESAMPLING: usize = 4;
    let sound = cell(0.0, 0.0, LESSONS);
    let passes_cost = sound.minus(&cell(0.3, 0.0, LESSONS));
    let fails_cost = sound.minus(&cell(0.0, 0.3, LESSONS));
    say(format_args!(
        "30 % false passes cost lessons {passes_cost} points, 30 % false fails {fails_cost}: {}.",
        if cell(0.0, 0.3, LESSONS).minus(&cell(0.3, 0.0, LESSONS)).is_above_zero() {
            "false passes hurt more"
        } else {
            "no difference is certain"
        }
    ));
    let gain = sound.minus(&cell(0.0, 0.0, RESAMPLING));
    say(format_args!(
        "With a sound judge, lessons are {gain} points from resampling at the same calls: {}.",
        verdict(gain)
    ));
    let (Some(nothing), Some(lessons), Some(resampling)) = (luck.first(), luck.get(LESSONS), luck.get(RESAMPLING))
    else {
        return;
    };
    let gain = lessons.minus(nothing);
    say(format_args!(
        "Where failures are bad luck, lessons are {gain} points from nothing at as many trials: {}; and {} from resampling at the same calls.",
        verdict(gain),
        lessons.minus(resampling)
    ));
}

fn verdict(gain: Difference) -> &'static str {
    match (gain.is_above_zero(), gain.is_below_zero()) {
        (true, _) => "they pay",
        (_, true) => "they hurt",
        _ => "they do nothing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn tally(way: usize, world: World, false_pass: f64, false_fail: f64) -> Tally {
        measure_way(WAYS[way], world, Noise { false_pass, false_fail }, 1_500).await.unwrap()
    }

    #[tokio::test]
    async fn the_shape_is_the_papers() {
        let (lessons, resampling) = (2, 4);
        let sound = tally(lessons, World::Learnable, 0.0, 0.0).await;
        let samples = tally(resampling, World::Learnable, 0.0, 0.0).await;
        assert!(sound.minus(&samples).is_above_zero(), "lessons pay with a sound judge");
        let false_passes = tally(lessons, World::Learnable, 0.3, 0.0).await;
        let false_fails = tally(lessons, World::Learnable, 0.0, 0.3).await;
        assert!(false_fails.minus(&false_passes).is_above_zero(), "false passes hurt more than false fails");
        let luck = tally(lessons, World::Luck, 0.0, 0.0).await;
        let nothing = tally(0, World::Luck, 0.0, 0.0).await;
        assert!(!luck.minus(&nothing).is_above_zero(), "lessons do nothing about luck");
    }
}

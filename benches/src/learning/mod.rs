//! Whether the learning rule finds out which lessons help: simulated worlds, every published rule beside ours.
//!
//! A world has tasks of some kinds, lessons whose true effects nobody sees, and reviews that err. All rules meet the same tasks with the same
//! luck. Ours is not written here: fold, baseline, scale, slate and trial slot are the product's, from `reflect_core::worth`, and the constant step
//! is the product's other rule. Diversity is off, since lessons here have no words.

mod dice;
mod learner;
mod lift;
mod named;
mod parallel;
mod play;
mod random;
mod rules;
mod scene;
mod simulated_query;
mod statistics;
mod table;
mod what_if;
mod world;

use parallel::in_parallel;
use play::play;
use table::Played;
use world::World;

use crate::say;

/// How much is simulated.
struct Options {
    seeds: usize,
    worlds: usize,
    /// Only named worlds whose name holds this.
    only: Option<String>,
    threads: usize,
    part: Part,
}

/// Which of the three simulations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Rules,
    Lift,
    WhatIf,
}

/// Prints the tables.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let options = read(options)?;
    match options.part {
        Part::Rules => compare_rules(&options),
        Part::Lift => lift::print(options.threads),
        Part::WhatIf => what_if::print(options.threads),
    }
    Ok(())
}

fn read(words: &[&str]) -> anyhow::Result<Options> {
    let mut options = Options { seeds: 4, worlds: 60, only: None, threads: 2, part: Part::Rules };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| anyhow::anyhow!("`{word}` needs a value"));
        match *word {
            "lift" => options.part = Part::Lift,
            "what-if" => options.part = Part::WhatIf,
            "--seeds" => options.seeds = value()?.parse()?,
            "--worlds" => options.worlds = value()?.parse()?,
            "--threads" => options.threads = value()?.parse()?,
            "--only" => options.only = Some((*value()?).to_owned()),
            _ => anyhow::bail!(
                "usage: reflect-bench learning [lift | what-if] [--seeds N] [--worlds N] [--only NAME] [--threads N]"
            ),
        }
    }
    Ok(options)
}

fn compare_rules(options: &Options) {
    let named = named::named_worlds().into_iter();
    let named: Vec<World> =
        named.filter(|world| options.only.as_ref().is_none_or(|only| world.name.contains(only.as_str()))).collect();
    let random: Vec<World> = (0..options.worlds).map(|number| random::random_world(number as u64)).collect();
    say(format_args!(
        "{} named worlds with {} seeds, {} random ones with one",
        named.len(),
        options.seeds,
        random.len()
    ));
    let named = play_all(named, options.seeds, options.threads);
    let random = play_all(random, 1, options.threads);
    table::print_named(&named);
    table::print_random(&random);
    table::print_checks(&named, &random);
}

fn play_all(worlds: Vec<World>, seeds: usize, threads: usize) -> Vec<Played> {
    let outcomes = in_parallel(threads, worlds.len() * seeds, |number| {
        worlds.get(number / seeds).map(|world| play(world, 1_000 + number as u64))
    });
    let mut outcomes = outcomes.into_iter().flatten();
    worlds.into_iter().map(|world| Played { world, outcomes: outcomes.by_ref().take(seeds).collect() }).collect()
}

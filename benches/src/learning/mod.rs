//! Whether the learning rule finds out which lessons help: simulated worlds, every published rule beside ours.
//!
//! A world has tasks of some kinds, lessons whose true effects nobody sees, and reviews that err. All rules meet the same tasks with the same
//! luck. The product's rules are not written here: its index ranks with the server's defaults, and its fold learns (`product`). What is published is in
//! `published`.

mod dice;
mod embedder;
mod kinds;
mod learner;
mod lift;
mod named;
mod parallel;
mod play;
mod product;
mod published;
mod random;
mod rules;
mod scene;
mod served;
mod simulated_query;
mod statistics;
mod table;
mod what_if;
mod world;

use std::time::{Duration, Instant};

use parallel::in_parallel;
use play::play;
use rules::{Field, Rule, all_rules, kinds_rules, variants};
use table::Played;
use world::World;

/// Random worlds from this number on are for tables alone: nothing was chosen by them.
const UNSEEN: u64 = 1_000;

/// Random worlds from this number on are for choosing among variants.
const FOR_CHOOSING: u64 = 100;

/// How much is simulated.
struct Options {
    seeds: usize,
    worlds: usize,
    /// Only named worlds whose name holds this.
    only: Option<String>,
    threads: usize,
    /// No world is begun after this.
    until: Option<Instant>,
    part: Part,
    /// Of the world on the real server.
    runs: usize,
    kinds: usize,
    own: served::Own,
    texts: usize,
}

/// Which of the simulations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Rules,
    Variants,
    Kinds,
    Lift,
    WhatIf,
    Served,
}

/// Prints the tables.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let options = read(options)?;
    match options.part {
        Part::Rules => compare(&options, &all_rules(), UNSEEN),
        Part::Variants => compare(&options, &variants(), FOR_CHOOSING),
        Part::Kinds => kinds::print(&kinds_rules(), options.seeds, options.threads, options.only.as_deref()),
        Part::Lift => lift::print(options.threads),
        Part::WhatIf => what_if::print(options.threads),
        Part::Served => {
            let Options { seeds, runs, kinds, own, texts, .. } = options;
            served::print(&served::Served { seeds, runs, kinds, own, texts })?;
        }
    }
    Ok(())
}

fn read(words: &[&str]) -> anyhow::Result<Options> {
    let mut options = Options {
        seeds: 4,
        worlds: 60,
        only: None,
        threads: 2,
        until: None,
        part: Part::Rules,
        runs: 1_200,
        kinds: 6,
        own: served::Own::Found,
        texts: usize::MAX,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| anyhow::anyhow!("`{word}` needs a value"));
        match *word {
            "variants" => options.part = Part::Variants,
            "kinds" => options.part = Part::Kinds,
            "lift" => options.part = Part::Lift,
            "what-if" => options.part = Part::WhatIf,
            "served" => options.part = Part::Served,
            "--filtered" => options.own = served::Own::Filtered,
            "--disabled" => options.own = served::Own::Disabled,
            "--deleted" => options.own = served::Own::Deleted,
            "--texts" => options.texts = value()?.parse()?,
            "--runs" => options.runs = value()?.parse()?,
            "--kinds" => options.kinds = value()?.parse()?,
            "--seeds" => options.seeds = value()?.parse()?,
            "--worlds" => options.worlds = value()?.parse()?,
            "--threads" => options.threads = value()?.parse()?,
            "--minutes" => options.until = Some(Instant::now() + Duration::from_secs(60 * value()?.parse::<u64>()?)),
            "--only" => options.only = Some((*value()?).to_owned()),
            _ => anyhow::bail!(
                "usage: reflect-bench learning [variants | kinds | lift | what-if | served] [--seeds N] [--worlds N] [--only NAME] [--threads N] [--minutes N] [--runs N] [--kinds N] [--filtered | --disabled | --deleted] [--texts N]"
            ),
        }
    }
    Ok(options)
}

fn compare(options: &Options, field: &Field, first: u64) {
    let named = named::named_worlds().into_iter();
    let named: Vec<World> =
        named.filter(|world| options.only.as_ref().is_none_or(|only| world.name.contains(only.as_str()))).collect();
    let random: Vec<World> = (first..).take(options.worlds).map(random::random_world).collect();
    let tournament = |first_seed, seeds| Tournament { rules: &field.rules, seeds, first_seed, options };
    let random = tournament(100_000 + first, 1).play(random);
    table::print_means("random worlds", &random, field);
    table::print_left_out(&random, field);
    let named = tournament(10 * first, options.seeds).play(named);
    table::print_named(&named, field);
    table::print_means("named worlds", &named, field);
    if options.part == Part::Rules {
        table::print_checks(&named, &random);
    }
}

/// The same rules in many worlds.
struct Tournament<'a> {
    rules: &'a [Rule],
    seeds: usize,
    first_seed: u64,
    options: &'a Options,
}

impl Tournament<'_> {
    /// Every world with its first seed, then with the second, and so on. Worlds that were not begun in time are left out.
    fn play(&self, worlds: Vec<World>) -> Vec<Played> {
        let outcomes = in_parallel(self.options.threads, worlds.len() * self.seeds, |number| {
            let is_late = self.options.until.is_some_and(|until| Instant::now() > until);
            let world = worlds.get(number % worlds.len()).filter(|_| !is_late)?;
            Some(play(world, self.rules, self.first_seed + number as u64))
        });
        let mut played: Vec<Played> = worlds.into_iter().map(|world| Played { world, outcomes: Vec::new() }).collect();
        for round in outcomes.chunks(played.len().max(1)) {
            played.iter_mut().zip(round).for_each(|(played, outcome)| played.outcomes.extend(outcome.clone()));
        }
        played.retain(|played| !played.outcomes.is_empty());
        played
    }
}

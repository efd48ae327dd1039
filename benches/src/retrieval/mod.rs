//! `retrieval`: how long a query searches, beside what people search vectors with today.

mod data;
mod database;
mod memory_read;
mod others;
mod ours;
mod times;

use reflect_core::Match;

use crate::say;

pub(crate) use data::{Data, QUERIES, Random};
pub(crate) use times::Times;

use others::{Contender, Others};
use ours::Ours;

/// The dimension of the built-in model and of MiniLM.
pub(crate) const DIMENSION: usize = 384;

/// What a query reads of every memory: four bits a coordinate.
const SKETCH_BYTES: usize = DIMENSION / 2;

/// How many memories a query answers.
pub(crate) const LIMIT: usize = 10;

/// The weight of utility.
pub(crate) const LAMBDA: f64 = 0.5;

/// Up to how many memories the databases are asked to hold.
const MOST_FOR_DATABASES: usize = 100_000;

struct Options {
    sizes: Vec<usize>,
    rounds: usize,
}

impl Options {
    fn read(words: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self { sizes: vec![1_000, 10_000, 100_000, 1_000_000], rounds: 5 };
        for pair in words.chunks(2) {
            match pair {
                ["--sizes", value] => options.sizes = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                ["--rounds", value] => options.rounds = value.parse()?,
                other => anyhow::bail!("`{}` is no option of this benchmark", other.join(" ")),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    say(format_args!(
        "{DIMENSION} dimensions in clusters, utilities spread over [0, 1], λ {LAMBDA}, limit {LIMIT}, {cores} cores, \
         our scan with {}",
        reflect_core::Kernel::in_use().name()
    ));
    say(format_args!(
        "ours: blend, floor, filter, diversity from the best 100; numpy: blend; the others: similarity alone"
    ));
    std::fs::create_dir_all("target")?;
    for size in &options.sizes {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
        compare(*size, options.rounds, folder.path())?;
    }
    options.sizes.iter().try_for_each(|size| database::run(*size))
}

/// All contenders in turn, round after round, over the same memories.
fn compare(size: usize, rounds: usize, folder: &std::path::Path) -> anyhow::Result<()> {
    let data = Data::make(size);
    data.write(folder)?;
    let ours = Ours::fill(&data);
    say(format_args!(
        "\n{size} memories: {:.0} bytes of memory each with their metadata, put in at {:.0} a second",
        ours.bytes() as f64 / size as f64,
        size as f64 / ours.filled_in.as_secs_f64()
    ));
    let [by_task, by_both] = [Match::Task, Match::Both].map(|matching| ours.recall(&data, matching));
    say(format_args!(
        "recall@{LIMIT} of ours against brute force in f32: {by_task:.4}, tasks and lessons both {by_both:.4}"
    ));
    let mut others = Others::start(folder)?;
    let mut contenders: Vec<Contender> = ["numpy", "faiss"]
        .into_iter()
        .flat_map(|name| [Contender { name, threads: 1 }, Contender { name, threads: 0 }])
        .collect();
    if size <= MOST_FOR_DATABASES {
        contenders.extend(["sqlite-vec", "chroma"].map(|name| Contender { name, threads: 0 }));
    }
    let threads = ours.threads();
    let queries = (20_000_000 / size).clamp(10, 400);
    let mut our_times: Vec<(usize, Times)> = threads.iter().map(|threads| (*threads, Times::default())).collect();
    let mut their_times: Vec<(Contender, Times)> = contenders.into_iter().map(|one| (one, Times::default())).collect();
    let (mut plain, mut filtered) = (Vec::new(), ours::Filtered::default());
    let (mut under_changes, mut changes, mut explained) = (Times::default(), Vec::new(), Times::default());
    let mut by_both = Times::default();
    for round in 0..rounds {
        let first = round * queries;
        for (threads, times) in &mut our_times {
            times.add(ours.run(&data, first, queries, *threads));
        }
        by_both.add(ours.run_both(&data, first..first + queries));
        filtered.add(&ours, &data, first, queries);
        explained.add(ours.run_explained(&data, first..first + queries));
        let (times, a_second) = ours.run_under_changes(&data, first..first + queries);
        under_changes.add(times);
        changes.push(a_second);
        for (contender, times) in &mut their_times {
            let slow = matches!(contender.name, "sqlite-vec");
            times.add(others.run(contender, first, if slow { queries.min(20) } else { queries })?);
        }
        plain.push(memory_read::gigabytes_a_second(size * SKETCH_BYTES, &threads)?);
    }
    report(size, &our_times, &their_times)?;
    say(format_args!(
        "ours on 1 thread by tasks and lessons both: p50 {:.3} ms, p99 {:.3} ms",
        by_both.p50()?,
        by_both.p99()?
    ));
    filtered.report()?;
    say(format_args!("ours on 1 thread with `explain`: p50 {:.3} ms", explained.p50()?));
    say(format_args!(
        "ours on 1 thread while another puts in {:.0} changes a second: p50 {:.3} ms, p99 {:.3} ms",
        times::median(changes)?,
        under_changes.p50()?,
        under_changes.p99()?
    ));
    memory_read::report(size * SKETCH_BYTES, &our_times, &plain)
}

fn report(size: usize, ours: &[(usize, Times)], others: &[(Contender, Times)]) -> anyhow::Result<()> {
    say(format_args!("{:<12} {:>8} {:>10} {:>10}   times ours", "", "threads", "p50 ms", "p99 ms"));
    for (threads, times) in ours {
        say(format_args!("{:<12} {threads:>8} {:>10.3} {:>10.3}", "ours", times.p50()?, times.p99()?));
    }
    for (contender, times) in others {
        let p50 = times.p50()?;
        let ratios: Result<Vec<String>, anyhow::Error> =
            ours.iter().map(|(threads, times)| Ok(format!("{:.1} (ours on {threads})", p50 / times.p50()?))).collect();
        say(format_args!(
            "{:<12} {:>8} {p50:>10.3} {:>10.3}   {}",
            contender.name,
            contender.threads_shown(),
            times.p99()?,
            ratios?.join(", ")
        ));
    }
    if size > MOST_FOR_DATABASES {
        say(format_args!("(sqlite-vec and chroma are measured up to {MOST_FOR_DATABASES})"));
    }
    Ok(())
}

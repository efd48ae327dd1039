//! `ingest`: how many traces a second are stored for good, and how many become lessons.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::{
    bare_loop::{BareLoop, Rows},
    load::{self, Requests, Until},
    say,
    server::Server,
};

/// The number of the next trace, across rounds.
static NEXT: AtomicU64 = AtomicU64::new(1);

pub(crate) struct Options {
    pub(crate) seconds: u64,
    pub(crate) rounds: usize,
    pub(crate) connections: usize,
    /// Whether traces come with reviews, so that lessons are written meanwhile.
    pub(crate) reviews: bool,
}

impl Options {
    pub(crate) fn read(words: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self { seconds: 5, rounds: 4, connections: 64, reviews: true };
        for pair in words.chunks(2) {
            match pair {
                ["--seconds", value] => options.seconds = value.parse()?,
                ["--rounds", value] => options.rounds = value.parse()?,
                ["--connections", value] => options.connections = value.parse()?,
                ["--reviews", value @ ("yes" | "no")] => options.reviews = *value == "yes",
                other => anyhow::bail!("`{}` is no option of this benchmark", other.join(" ")),
            }
        }
        Ok(options)
    }

    /// What is posted.
    pub(crate) fn requests(&self) -> Requests {
        Requests {
            method: "POST",
            path: "traces",
            body: if self.reviews { load::trace } else { load::unreviewed_trace },
        }
    }

    /// What is posted, in words.
    pub(crate) fn traces(&self) -> &'static str {
        if self.reviews { "2 KB traces with inline reviews" } else { "2 KB traces without reviews" }
    }
}

/// One round of ours and of both loops, in traces a second.
struct Round {
    acknowledged: f64,
    p50_millis: f64,
    p99_millis: f64,
    reflected: f64,
    bare_accepted: f64,
    bare_reflected: f64,
}

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let duration = Duration::from_secs(options.seconds);
    // Below the repository rather than in /tmp, which may be memory: the disk is what is measured.
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let server = Server::start(&folder.path().join("data"))?;
    say(format_args!(
        "{} connections, {}, {} rounds of {} s each",
        options.connections,
        options.traces(),
        options.rounds,
        options.seconds
    ));
    say(format_args!(
        "binary {:.1} MB, idle: {}, kernel {}",
        binary_megabytes()?,
        server.resident()?,
        server.kernel()?
    ));
    let mut accepted = BareLoop::open(&folder.path().join("accepted.db"), Rows::Accepted)?;
    let mut reflected = BareLoop::open(&folder.path().join("reflected.db"), Rows::Reflected)?;
    say(format_args!(
        "\n{:>5} {:>9} {:>8} {:>8} {:>10} {:>11} {:>11}",
        "round", "acks/s", "p50 ms", "p99 ms", "reflect/s", "bare acc/s", "bare all/s"
    ));
    let mut rounds = Vec::new();
    for number in 1..=options.rounds {
        let start = Instant::now();
        let seen = load::post(&server, options.requests(), options.connections, Until::After(duration), &NEXT)?;
        while server.has_pending_traces()? {
            std::thread::sleep(Duration::from_millis(50));
        }
        let per_second = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
        let both = per_second(seen.count, start.elapsed());
        let (bare_accepted, took) = accepted.run(duration)?;
        let bare_accepted = per_second(bare_accepted, took);
        let (bare_reflected, took) = reflected.run(duration)?;
        let bare_reflected = per_second(bare_reflected, took);
        let millis = |share: f64| seen.percentile(share).as_secs_f64() * 1_000.0;
        let round = Round {
            acknowledged: per_second(seen.count, seen.elapsed),
            p50_millis: millis(0.5),
            p99_millis: millis(0.99),
            reflected: both,
            bare_accepted,
            bare_reflected,
        };
        say(format_args!(
            "{number:>5} {:>9.0} {:>8.2} {:>8.2} {:>10.0} {:>11.0} {:>11.0}",
            round.acknowledged,
            round.p50_millis,
            round.p99_millis,
            round.reflected,
            round.bare_accepted,
            round.bare_reflected
        ));
        rounds.push(round);
    }
    report(&rounds)?;
    say(format_args!("after the load: {}", server.resident()?));
    Ok(())
}

fn report(rounds: &[Round]) -> anyhow::Result<()> {
    let median = |value: fn(&Round) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let (below, above) = (values.get((values.len().max(1) - 1) / 2), values.get(middle));
        below.zip(above).map(|(below, above)| (below + above) / 2.0).context("no rounds")
    };
    let acknowledged = median(|round| round.acknowledged)?;
    let reflected = median(|round| round.reflected)?;
    let bare_accepted = median(|round| round.bare_accepted)?;
    let bare_reflected = median(|round| round.bare_reflected)?;
    say(format_args!(
        "\nmedians: ours acknowledges {acknowledged:.0}/s, sustains {reflected:.0}/s accepted and reflected"
    ));
    let (p50, p99) = (median(|round| round.p50_millis)?, median(|round| round.p99_millis)?);
    say(format_args!("median p50 {p50:.1} ms, median p99 {p99:.1} ms"));
    say(format_args!("acknowledged / bare loop of the acknowledged rows: {:.2}", acknowledged / bare_accepted));
    say(format_args!("accepted and reflected / bare loop of all the rows: {:.2}", reflected / bare_reflected));
    Ok(())
}

fn binary_megabytes() -> anyhow::Result<f64> {
    let binary = std::env::var_os("REFLECT_BIN").context("set REFLECT_BIN")?;
    Ok(std::fs::metadata(binary)?.len() as f64 / 1e6)
}

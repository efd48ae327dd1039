//! Traces a second that are stored for good, and that become lessons.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use super::{Database, SERVERS, median, pgbench::Pgbench, servers_named};
use crate::{
    ingest::Options,
    load::{self, Until},
    say,
    server::Server,
};

/// The number of the next trace, across rounds.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A round of one of ours.
struct Round {
    acknowledged: f64,
    p50_millis: f64,
    p99_millis: f64,
    reflected: f64,
}

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let database = Database::named()?;
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let pgbench = Pgbench::prepare(&database, folder.path(), options.reviews)?;
    say(format_args!(
        "{} connections, {}, {} rounds of {} s each; {}",
        options.connections,
        options.traces(),
        options.rounds,
        options.seconds,
        database.version()?
    ));
    let duration = Duration::from_secs(options.seconds);
    let mut ours: Vec<Vec<Round>> = (0..=SERVERS).map(|_| Vec::new()).collect();
    let (mut plain, mut pipelined) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        for (count, rounds) in ours.iter_mut().enumerate() {
            let servers = match count {
                0 => vec![Server::start(&folder.path().join(format!("data-{round}")))?],
                count => Database::servers(&database.schema(&format!("bench_{round}_{count}"))?, count)?,
            };
            rounds.push(measure(&servers, &options, duration)?);
        }
        plain.push(pgbench.run(options.connections, duration)?);
        pipelined.push(pgbench.run_pipelined(options.connections, duration)?);
    }
    report(&ours, median(plain.into_iter()), median(pipelined.into_iter()));
    Ok(())
}

fn measure(servers: &[Server], options: &Options, duration: Duration) -> anyhow::Result<Round> {
    let start = Instant::now();
    let seen = load::post_to(servers, options.requests(), options.connections, Until::After(duration), &NEXT)?;
    while servers.first().map_or(Ok(false), Server::has_pending_traces)? {
        std::thread::sleep(Duration::from_millis(50));
    }
    let millis = |share: f64| seen.percentile(share).as_secs_f64() * 1e3;
    Ok(Round {
        acknowledged: seen.count as f64 / seen.elapsed.as_secs_f64(),
        p50_millis: millis(0.5),
        p99_millis: millis(0.99),
        reflected: seen.count as f64 / start.elapsed().as_secs_f64(),
    })
}

/// Medians, each beside both yardsticks.
fn report(ours: &[Vec<Round>], plain: f64, pipelined: f64) {
    let of = |rounds: &[Round], value: fn(&Round) -> f64| median(rounds.iter().map(value));
    let sqlite = ours.first().map_or(f64::NAN, |rounds| of(rounds, |round| round.acknowledged));
    say(format_args!(
        "\n{:<22}{:>8}{:>8}{:>8}{:>11}{:>10}{:>12}{:>10}",
        "", "acks/s", "p50 ms", "p99 ms", "reflect/s", "/pgbench", "/pipelined", "/SQLite"
    ));
    for (count, rounds) in ours.iter().enumerate() {
        let acknowledged = of(rounds, |round| round.acknowledged);
        let name = if count == 0 { "SQLite, 1 server".to_owned() } else { servers_named(count) };
        say(format_args!(
            "{name:<22}{acknowledged:>8.0}{:>8.1}{:>8.1}{:>11.0}{:>10.2}{:>12.2}{:>10.2}",
            of(rounds, |round| round.p50_millis),
            of(rounds, |round| round.p99_millis),
            of(rounds, |round| round.reflected),
            acknowledged / plain,
            acknowledged / pipelined,
            acknowledged / sqlite
        ));
    }
    say(format_args!("{:<22}{plain:>8.0}", "pgbench"));
    say(format_args!("{:<22}{pipelined:>8.0}", "pgbench, pipelined"));
}

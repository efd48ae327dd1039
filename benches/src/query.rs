//! `query`: queries over HTTP with the model on, and what share of them is embedding.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde_json::json;

use crate::{
    load::{self, Answered, Requests, Until},
    say,
    server::Server,
};

pub(crate) const MEMORIES: u64 = 10_000;
pub(crate) const CONNECTIONS: usize = 32;

/// Short ones, in turns: a machine that others share is now faster and now slower, for seconds on end.
const ROUNDS: usize = 20;
const ROUND: Duration = Duration::from_secs(1);

/// How many tasks a round with repeated tasks has. Few enough for all their vectors to be remembered.
const REPEATED: u64 = 200;

/// What is compared, by its name.
pub(crate) const FRESH: (&str, Requests) =
    ("every task new", Requests { method: "POST", path: "memory/query", body: fresh_query });
pub(crate) const REPEATING: (&str, Requests) =
    ("tasks repeat", Requests { method: "POST", path: "memory/query", body: repeated_query });

static STORED: AtomicU64 = AtomicU64::new(1);
static ASKED: AtomicU64 = AtomicU64::new(1);

/// Who is asked: a name, and its servers.
pub(crate) type Asked<'a> = (String, &'a [Server]);

/// With the path of another server's binary: both in turns, each over a data folder of its own.
pub(crate) fn run(beside: Option<&str>) -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let server = [Server::start(&folder.path().join("data"))?];
    let other = match beside {
        Some(binary) => vec![Server::start_other(binary.as_ref(), &folder.path().join("other"))?],
        None => Vec::new(),
    };
    let mut asked = vec![("this server".to_owned(), &server[..])];
    asked.extend(beside.map(|_| ("the other one".to_owned(), &other[..])));
    fill(&asked)?;
    for (name, servers) in &asked {
        for server in *servers {
            say(format_args!("{name}: kernel {}, {}", server.kernel()?, server.resident()?));
        }
    }
    let (fresh, repeated) = compare_all(&asked)?;
    say(format_args!(
        "share of a query that is embedding: {:.0} %",
        (1.0 - fresh.per_second / repeated.per_second) * 100.0
    ));
    server.iter().try_for_each(|server| {
        say(format_args!("the server: {}", server.resident()?));
        Ok(())
    })
}

/// Stores the same memories with all of them.
pub(crate) fn fill(asked: &[Asked<'_>]) -> anyhow::Result<()> {
    say(format_args!("storing {MEMORIES} memories …"));
    let memories = Requests { method: "POST", path: "traces", body: memory };
    for (_, servers) in asked {
        STORED.store(1, Ordering::Relaxed);
        load::post_to(servers, memories, CONNECTIONS, Until::Number(MEMORIES), &STORED)?;
    }
    Ok(())
}

/// Asks all of them for new tasks and for repeated ones. Answers what the first one did.
pub(crate) fn compare_all(asked: &[Asked<'_>]) -> anyhow::Result<(Round, Round)> {
    say(format_args!(
        "{MEMORIES} memories, {CONNECTIONS} connections, tasks of about 15 tokens, limit 10, {ROUNDS} rounds of {} s each",
        ROUND.as_secs()
    ));
    Ok((compare(asked, FRESH)?, compare(asked, REPEATING)?))
}

/// Asks all of them in turns, and prints medians: of what each one did, and of its share of what the first one did in the same round.
pub(crate) fn compare(asked: &[Asked<'_>], (what, requests): (&str, Requests)) -> anyhow::Result<Round> {
    let mut seen: Vec<Vec<Round>> = asked.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for ((_, servers), seen) in asked.iter().zip(&mut seen) {
            seen.push(Round::of(&load::post_to(servers, requests, CONNECTIONS, Until::After(ROUND), &ASKED)?));
        }
    }
    say(format_args!("\n{what}"));
    let first = seen.first().cloned().unwrap_or_default();
    let first_name = asked.first().map_or("", |(name, _)| name);
    for ((name, _), rounds) in asked.iter().zip(&seen) {
        Round::median(rounds).print(name);
        if name != first_name {
            let shares = rounds.iter().zip(&first).map(|(round, first)| round.per_second / first.per_second);
            say(format_args!("{:<22}{:>8.2} times {first_name}", "", median(shares)));
        }
    }
    Ok(Round::median(&first))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[derive(Clone, Copy)]
pub(crate) struct Round {
    per_second: f64,
    p50_millis: f64,
    p99_millis: f64,
}

impl Round {
    fn of(seen: &Answered) -> Self {
        let millis = |share: f64| seen.percentile(share).as_secs_f64() * 1e3;
        Self {
            per_second: seen.count as f64 / seen.elapsed.as_secs_f64(),
            p50_millis: millis(0.5),
            p99_millis: millis(0.99),
        }
    }

    fn median(rounds: &[Self]) -> Self {
        let median = |value: fn(&Self) -> f64| median(rounds.iter().map(value));
        Self {
            per_second: median(|round| round.per_second),
            p50_millis: median(|round| round.p50_millis),
            p99_millis: median(|round| round.p99_millis),
        }
    }

    fn print(&self, what: &str) {
        say(format_args!(
            "{what:<22}{:>8.0} a second, p50 {:>6.2} ms, p99 {:>6.2} ms",
            self.per_second, self.p50_millis, self.p99_millis
        ));
    }
}

/// A task of about 15 tokens, another for every number.
pub(crate) fn task(number: u64) -> String {
    const DOES: [&str; 6] = ["Refund", "Cancel", "Move", "Explain", "Check", "Correct"];
    const WHAT: [&str; 7] =
        ["the order", "an invoice", "the booking", "a subscription", "the parcel", "a claim", "the address"];
    const WHERE: [&str; 5] = ["in the shop", "by mail", "before Friday", "for the customer", "in the ledger"];
    let pick = |from: &[&'static str], step: u64| {
        from.get((number / step % from.len() as u64) as usize).copied().unwrap_or("")
    };
    format!("{} {} {number} of client {} {}", pick(&DOES, 1), pick(&WHAT, 6), number * 7_919 % 10_007, pick(&WHERE, 42))
}

/// A reviewed run whose lesson is given, so that it is stored at once.
fn memory(number: u64) -> String {
    json!({
        "task": task(number),
        "trajectory": [],
        "review": {"result": if number.is_multiple_of(3) { "fail" } else { "pass" }, "reflection": {
            "summary": "The client's number was looked up first.",
            "guidance": "Look the number up before anything is changed, and say what was changed.",
        }},
    })
    .to_string()
}

fn fresh_query(number: u64) -> String {
    json!({"task": format!("Please {}", task(number + 1_000_000)), "limit": 10}).to_string()
}

fn repeated_query(number: u64) -> String {
    json!({"task": format!("Please {}", task(number % REPEATED)), "limit": 10}).to_string()
}

//! `query`: queries over HTTP with the model on, and what share of them is embedding.

use std::{sync::atomic::AtomicU64, time::Duration};

use serde_json::json;

use crate::{
    load::{self, Answered, Requests, Until},
    say,
    server::Server,
};

pub(crate) const MEMORIES: u64 = 10_000;
pub(crate) const CONNECTIONS: usize = 32;
pub(crate) const ROUNDS: usize = 4;
pub(crate) const ROUND: Duration = Duration::from_secs(5);

/// How many tasks a round with repeated tasks has. Few enough for all their vectors to be remembered.
const REPEATED: u64 = 200;

pub(crate) static STORED: AtomicU64 = AtomicU64::new(1);
pub(crate) static ASKED: AtomicU64 = AtomicU64::new(1);

pub(crate) fn run() -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let server = Server::start(&folder.path().join("data"))?;
    say(format_args!("storing {MEMORIES} memories …"));
    let memories = Requests { path: "traces", body: memory };
    load::post(&server, memories, CONNECTIONS, Until::Number(MEMORIES), &STORED)?;
    say(format_args!(
        "{MEMORIES} memories, {CONNECTIONS} connections, tasks of about 15 tokens, limit 10, {ROUNDS} rounds of {} s each; {}",
        ROUND.as_secs(),
        server.resident()?
    ));
    say(format_args!("kernel {}", server.kernel()?));
    let (mut fresh, mut repeated) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (body, seen) in [(fresh_query as fn(u64) -> String, &mut fresh), (repeated_query, &mut repeated)] {
            let queries = Requests { path: "memory/query", body };
            seen.push(Round::of(&load::post(&server, queries, CONNECTIONS, Until::After(ROUND), &ASKED)?));
        }
    }
    let (fresh, repeated) = (Round::median(&fresh), Round::median(&repeated));
    fresh.print("every task new");
    repeated.print("tasks repeat");
    say(format_args!(
        "share of a query that is embedding: {:.0} %",
        (1.0 - fresh.per_second / repeated.per_second) * 100.0
    ));
    say(format_args!("the server: {}", server.resident()?));
    Ok(())
}

#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    p50_millis: f64,
    p99_millis: f64,
}

impl Round {
    pub(crate) fn of(seen: &Answered) -> Self {
        let millis = |share: f64| seen.percentile(share).as_secs_f64() * 1e3;
        Self {
            per_second: seen.count as f64 / seen.elapsed.as_secs_f64(),
            p50_millis: millis(0.5),
            p99_millis: millis(0.99),
        }
    }

    pub(crate) fn median(rounds: &[Self]) -> Self {
        let median = |value: fn(&Self) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Self {
            per_second: median(|round| round.per_second),
            p50_millis: median(|round| round.p50_millis),
            p99_millis: median(|round| round.p99_millis),
        }
    }

    pub(crate) fn print(&self, what: &str) {
        say(format_args!(
            "{what:<16}{:>8.0} queries/s, p50 {:>6.2} ms, p99 {:>6.2} ms",
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
pub(crate) fn memory(number: u64) -> String {
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

pub(crate) fn fresh_query(number: u64) -> String {
    json!({"task": format!("Please {}", task(number + 1_000_000)), "limit": 10}).to_string()
}

pub(crate) fn repeated_query(number: u64) -> String {
    json!({"task": format!("Please {}", task(number % REPEATED)), "limit": 10}).to_string()
}

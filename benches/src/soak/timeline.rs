//! What bystanders saw since the last line.

use std::{sync::Mutex, time::Duration};

use tokio::time::Instant;

use crate::server::Resident;

pub(super) const HEAD: &str = "attack                      queries   p50   p99   max ms | writes   p50   p99   max ms | refused  broken  longest stall";

/// What a bystander did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Query,
    Write,
}

/// How a call ended that met a server that was up all the while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Answered(Duration),
    /// By a status that asks to come again.
    Refused,
    Broken,
}

#[derive(Default)]
struct Since {
    queries: Vec<Duration>,
    writes: Vec<Duration>,
    refused: u64,
    broken: u64,
    /// When any call was last answered, and the longest time in which none was.
    last_answer: Option<Instant>,
    stall: Duration,
}

/// The calls of all bystanders.
#[derive(Default)]
pub(super) struct Timeline {
    since: Mutex<Since>,
}

impl Timeline {
    pub(super) fn saw(&self, call: Call, end: End) {
        let mut since = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match (end, call) {
            (End::Answered(took), Call::Query) => since.queries.push(took),
            (End::Answered(took), Call::Write) => since.writes.push(took),
            (End::Refused, _) => since.refused += 1,
            (End::Broken, _) => since.broken += 1,
        }
        if matches!(end, End::Answered(_)) {
            let now = Instant::now();
            let gap = since.last_answer.replace(now).map_or(Duration::ZERO, |last| now - last);
            since.stall = since.stall.max(gap);
        }
    }

    /// The time in which the server was down is nobody's stall.
    pub(super) fn server_is_back(&self) {
        self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner).last_answer = None;
    }

    /// One line, and a new beginning.
    pub(super) fn line(&self, attack: &str, resident: Option<Resident>) -> String {
        let mut kept = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let last_answer = kept.last_answer;
        let since = std::mem::replace(&mut *kept, Since { last_answer, ..Since::default() });
        drop(kept);
        let resident = resident.map(|resident| resident.to_string()).unwrap_or_default();
        format!(
            "{attack:<27} {} | {} | {:>7} {:>7} {:>11.2} s   {resident}",
            times(since.queries),
            times(since.writes),
            since.refused,
            since.broken,
            since.stall.as_secs_f64()
        )
    }
}

fn times(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at = |share: f64| {
        let place = (took.len().saturating_sub(1) as f64 * share) as usize;
        took.get(place).map_or(0.0, |took| took.as_secs_f64() * 1e3)
    };
    format!("{:>7} {:>5.0} {:>5.0} {:>8.0}", took.len(), at(0.5), at(0.99), at(1.0))
}

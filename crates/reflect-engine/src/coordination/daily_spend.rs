//! What the calls of a day have cost.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reflect_store::{Store, StoreResult};
use tokio::time::Instant;

/// The day that was counted last, and US dollars that it has cost so far. Read from the store before a day's first call, so that
/// a restart forgets nothing; where other instances spend as well, again whenever it is old.
pub(super) struct DailySpend {
    counted: Mutex<Option<Counted>>,
    max_age: Option<Duration>,
}

#[derive(Clone, Copy)]
struct Counted {
    day: i64,
    spent_usd: f64,
    read_at: Instant,
}

impl DailySpend {
    pub(super) fn new(max_age: Option<Duration>) -> Self {
        Self { counted: Mutex::default(), max_age }
    }

    pub(super) async fn on(&self, day: i64, store: &Store) -> StoreResult<f64> {
        let known = |counted: &Counted| {
            counted.day == day && self.max_age.is_none_or(|max_age| counted.read_at.elapsed() < max_age)
        };
        if let Some(counted) = self.counted().filter(known) {
            return Ok(counted.spent_usd);
        }
        let read_at = Instant::now();
        let spent_usd = store.get_daily_spend(day).await?.cost_usd;
        let mut counted = self.counted();
        // Whoever read it first is right: calls have been added since.
        match counted.filter(known) {
            Some(counted) => Ok(counted.spent_usd),
            None => {
                *counted = Some(Counted { day, spent_usd, read_at });
                Ok(spent_usd)
            }
        }
    }

    pub(super) fn add(&self, day: i64, cost_usd: f64) {
        if let Some(counted) = self.counted().as_mut().filter(|counted| counted.day == day) {
            counted.spent_usd += cost_usd;
        }
    }

    fn counted(&self) -> MutexGuard<'_, Option<Counted>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

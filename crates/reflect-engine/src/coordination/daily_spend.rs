//! What the calls of a day have cost.

use std::sync::{Mutex, MutexGuard, PoisonError};

use reflect_store::{Store, StoreResult};

/// The day that was counted last, and US dollars that it has cost so far. Read from the store before a day's first call, so that
/// a restart forgets nothing.
#[derive(Default)]
pub(super) struct DailySpend {
    counted: Mutex<Option<(i64, f64)>>,
}

impl DailySpend {
    pub(super) async fn on(&self, day: i64, store: &Store) -> StoreResult<f64> {
        if let Some((_, spent)) = self.counted().filter(|(counted, _)| *counted == day) {
            return Ok(spent);
        }
        let read = store.get_daily_spend(day).await?.cost_usd;
        let mut counted = self.counted();
        // Whoever read it first is right: calls have been added since.
        match *counted {
            Some((counted, spent)) if counted == day => Ok(spent),
            _ => {
                *counted = Some((day, read));
                Ok(read)
            }
        }
    }

    pub(super) fn add(&self, day: i64, cost_usd: f64) {
        if let Some((counted, spent)) = self.counted().as_mut()
            && *counted == day
        {
            *spent += cost_usd;
        }
    }

    fn counted(&self) -> MutexGuard<'_, Option<(i64, f64)>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

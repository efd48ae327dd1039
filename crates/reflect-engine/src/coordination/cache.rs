//! Rows that are remembered between requests, and forgotten all at once when any of them may have changed; where other instances may
//! change them, also when they are old.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use tokio::time::Instant;

/// How many rows are remembered before all are forgotten.
const MAX_ROWS: usize = 10_000;

pub(super) struct Cache<K, V> {
    state: RwLock<State<K, V>>,
    /// How old a row may be; without it, as old as it likes.
    max_age: Option<Duration>,
}

struct State<K, V> {
    /// Each with when its look-up began.
    rows: HashMap<K, (Instant, V)>,
    /// Counts how often everything was forgotten.
    generation: u64,
}

/// What was known to be forgotten when a look-up began, and when that was. A row that was read before a change must not be remembered
/// after it, or a revoked key would go on opening doors.
pub(crate) struct Generation {
    number: u64,
    began: Instant,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub(super) fn new(max_age: Option<Duration>) -> Self {
        Self { state: RwLock::new(State { rows: HashMap::new(), generation: 0 }), max_age }
    }

    /// The row, or what is needed to remember it once it was looked up.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Result<V, Generation>
    where
        K: std::borrow::Borrow<Q>,
    {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let is_young = |began: &Instant| self.max_age.is_none_or(|max_age| began.elapsed() < max_age);
        match state.rows.get(key) {
            Some((began, row)) if is_young(began) => Ok(row.clone()),
            _ => Err(Generation { number: state.generation, began: Instant::now() }),
        }
    }

    /// Remembers a row, unless something was forgotten since its look-up began.
    pub(super) fn put(&self, since: Generation, key: K, row: V) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation != since.number {
            return;
        }
        if state.rows.len() >= MAX_ROWS {
            state.rows.clear();
        }
        state.rows.insert(key, (since.began, row));
    }

    pub(super) fn forget(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.rows.clear();
        state.generation += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_read_before_a_change_is_not_remembered_after_it() {
        let cache: Cache<String, u8> = Cache::new(None);
        let Err(before) = cache.get("key") else { panic!("nothing is known yet") };
        cache.forget();
        cache.put(before, "key".into(), 1);
        let Err(after) = cache.get("key") else { panic!("the stale row was remembered") };
        cache.put(after, "key".into(), 2);
        assert!(matches!(cache.get("key"), Ok(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_is_read_again_once_it_is_as_old_as_it_may_be() {
        let (young, cache) = (Duration::from_millis(499), Cache::new(Some(Duration::from_millis(500))));
        let Err(first) = cache.get("key") else { panic!("nothing is known yet") };
        tokio::time::advance(young).await;
        cache.put(first, "key", 1);
        assert!(matches!(cache.get("key"), Ok(1)));
        tokio::time::advance(Duration::from_millis(1)).await;
        let Err(second) = cache.get("key") else { panic!("it counts from when its look-up began") };
        cache.put(second, "key", 2);
        tokio::time::advance(young).await;
        assert!(matches!(cache.get("key"), Ok(2)));
    }
}

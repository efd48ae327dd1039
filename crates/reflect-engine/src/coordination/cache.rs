//! Rows that are remembered between requests, and forgotten all at once when any of them may have changed.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{PoisonError, RwLock},
};

/// How many rows are remembered before all are forgotten.
const MAX_ROWS: usize = 10_000;

pub(super) struct Cache<K, V> {
    state: RwLock<State<K, V>>,
}

struct State<K, V> {
    rows: HashMap<K, V>,
    /// Counts how often everything was forgotten.
    generation: u64,
}

/// What was known to be forgotten when a look-up began. A row that was read before a change must not be remembered after
/// it, or a revoked key would go on opening doors.
pub(crate) struct Generation(u64);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self { state: RwLock::new(State { rows: HashMap::new(), generation: 0 }) }
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// The row, or what is needed to remember it once it was looked up.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Result<V, Generation>
    where
        K: std::borrow::Borrow<Q>,
    {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.rows.get(key).cloned().ok_or(Generation(state.generation))
    }

    /// Remembers a row, unless something was forgotten since its look-up began.
    pub(super) fn put(&self, since: Generation, key: K, row: V) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation != since.0 {
            return;
        }
        if state.rows.len() >= MAX_ROWS {
            state.rows.clear();
        }
        state.rows.insert(key, row);
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
        let cache: Cache<String, u8> = Cache::default();
        let Err(before) = cache.get("key") else { panic!("nothing is known yet") };
        cache.forget();
        cache.put(before, "key".into(), 1);
        let Err(after) = cache.get("key") else { panic!("the stale row was remembered") };
        cache.put(after, "key".into(), 2);
        assert!(matches!(cache.get("key"), Ok(2)));
    }
}

//! When keys were last used, and which of that is worth a write.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use reflect_core::{KeyId, Timestamp};

/// `last_used_at` is kept to this many milliseconds, so that a busy key costs one write a minute.
const TOUCH_EVERY_MILLIS: u64 = 60_000;

/// Which uses are written down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Those that are a minute newer than what was written last.
    Due,
    /// All that are newer.
    All,
}

/// When keys were last used, as far as this process saw it.
#[derive(Default)]
pub(super) struct KeyUses {
    used: Mutex<HashMap<KeyId, Used>>,
}

#[derive(Clone, Copy)]
struct Used {
    at: Timestamp,
    /// The time that the database knows, or is about to.
    written: Option<Timestamp>,
}

impl KeyUses {
    /// Notes a use, and says whether it is the first of this key.
    pub(super) fn touch(&self, key_id: KeyId, now: Timestamp) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match used.get_mut(&key_id) {
            Some(used) => used.at = now,
            None => return used.insert(key_id, Used { at: now, written: None }).is_none(),
        }
        false
    }

    pub(super) fn last_used(&self, key_id: KeyId) -> Option<Timestamp> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).get(&key_id).map(|used| used.at)
    }

    /// The uses that are worth a write now; they count as written from here on.
    pub(super) fn due(&self, flush: Flush) -> Vec<(KeyId, Timestamp)> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |used: &Used| match used.written {
            None => true,
            Some(written) => {
                used.at > written && (flush == Flush::All || used.at.millis_since(written) >= TOUCH_EVERY_MILLIS)
            }
        };
        let due: Vec<_> = used.iter().filter(|(_, used)| is_due(used)).map(|(id, used)| (*id, used.at)).collect();
        used.values_mut().filter(|used| is_due(used)).for_each(|used| used.written = Some(used.at));
        due
    }
}

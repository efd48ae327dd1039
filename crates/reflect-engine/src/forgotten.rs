//! Runs that were shown memories and do not say so: nothing is learned about those memories.
//!
//! The store finds them while it stores a trace (`reflect_core::ShownClaim` has the rule). Whoever sends them is told in the answer, and
//! whoever runs the server in a counter and, once an hour for each key, in the log.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use reflect_core::{FORGOTTEN_MEMORY_IDS, KeyId, Timestamp};
use reflect_store::Submission;

use crate::{Asker, Engine, metrics::FORGOTTEN};

/// How long the log is silent about a key.
const SILENT_MILLIS: u64 = 3_600_000;

/// How many keys are remembered before those that may be spoken of again are forgotten.
const MOST_KEYS: usize = 1_000;

/// When the log last spoke of each key.
#[derive(Default)]
pub(crate) struct Forgotten {
    said: Mutex<HashMap<KeyId, Timestamp>>,
}

impl Forgotten {
    /// Whether the log is to speak of this key now. If so, it counts as done.
    fn is_due(&self, key_id: KeyId, now: Timestamp) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_silent = |at: &Timestamp| now.millis_since(*at) < SILENT_MILLIS;
        if said.get(&key_id).is_some_and(is_silent) {
            return false;
        }
        if said.len() >= MOST_KEYS {
            said.retain(|_, at| is_silent(at));
        }
        said.insert(key_id, now);
        true
    }
}

impl Engine {
    /// Counts a run that forgot which memories it was shown, and logs it if that is due.
    pub(crate) fn note_forgotten_memory_ids(&self, asker: Asker<'_>, submission: &Submission) {
        if !submission.warnings.iter().any(|warning| warning == FORGOTTEN_MEMORY_IDS) {
            return;
        }
        self.metrics.count(&FORGOTTEN, &[]);
        if self.forgotten.is_due(asker.caller.key_id, self.now()) {
            let (project_id, key, trace_id) = (asker.project_id, asker.caller.public_id(), submission.trace_id);
            tracing::warn!(%project_id, key, %trace_id, "{FORGOTTEN_MEMORY_IDS} (said once an hour for each key)");
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_log_speaks_of_a_key_once_an_hour() {
        let forgotten = Forgotten::default();
        let key = |number| KeyId::from_uuid(Uuid::from_u128(number));
        let at = |seconds: i64| Timestamp::from_micros(0).plus_millis(seconds * 1_000);
        assert!(forgotten.is_due(key(1), at(0)));
        assert!(!forgotten.is_due(key(1), at(3_599)));
        assert!(forgotten.is_due(key(2), at(3_599)), "it is another key");
        assert!(forgotten.is_due(key(1), at(3_600)));
        (0..3_000).for_each(|number| assert!(forgotten.is_due(key(100 + number), at(9_000))));
        assert!(!forgotten.is_due(key(100), at(9_001)), "however many there are");
        assert!(forgotten.is_due(key(1), at(20_000)));
        assert_eq!(forgotten.said.lock().unwrap().len(), 1, "those of long ago are gone");
    }
}

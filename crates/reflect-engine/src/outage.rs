//! Whether a model is worth asking: after several failures in a row it is left alone for a while, so that lessons do not
//! each wait for the same dead line.

use std::sync::{Mutex, PoisonError};

use reflect_core::Timestamp;

/// How many failures in a row make an outage.
const FAILURES: u32 = 3;

/// How long a model is left alone at first; each further failure doubles it.
const FIRST_PAUSE_MILLIS: i64 = 15_000;

/// The longest that it is left alone.
const LONGEST_PAUSE_MILLIS: i64 = 300_000;

/// What is known about a model's failures.
#[derive(Default)]
pub(crate) struct Outage {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    until: Option<Timestamp>,
}

impl Outage {
    /// Until when the model is left alone, if it is.
    pub(crate) fn until(&self, now: Timestamp) -> Option<Timestamp> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).until.filter(|until| now < *until)
    }

    pub(crate) fn note_answer(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    pub(crate) fn note_failure(&self, now: Timestamp) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Calls that began before it was known say nothing new.
        if state.until.is_some_and(|until| now < until) {
            return;
        }
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES {
            let doubled = FIRST_PAUSE_MILLIS << (state.failures - FAILURES).min(8);
            state.until = Some(now.plus_millis(doubled.min(LONGEST_PAUSE_MILLIS)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_make_an_outage_and_an_answer_ends_it() {
        let outage = Outage::default();
        let now = Timestamp::from_micros(0);
        for _ in 0..2 {
            outage.note_failure(now);
            assert_eq!(outage.until(now), None);
        }
        outage.note_failure(now);
        assert_eq!(outage.until(now), Some(now.plus_millis(15_000)));
        assert_eq!(outage.until(now.plus_millis(15_000)), None, "then it is asked again");
        outage.note_failure(now);
        assert_eq!(outage.until(now), Some(now.plus_millis(15_000)), "those that were in the air say nothing new");
        let now = now.plus_millis(15_000);
        outage.note_failure(now);
        assert_eq!(outage.until(now), Some(now.plus_millis(30_000)));
        outage.note_answer();
        assert_eq!(outage.until(now), None);
        outage.note_failure(now);
        assert_eq!(outage.until(now), None, "the count starts anew");
        let mut now = now;
        for _ in 0..90 {
            now = now.plus_millis(300_000);
            outage.note_failure(now);
        }
        assert_eq!(outage.until(now), Some(now.plus_millis(300_000)));
    }
}

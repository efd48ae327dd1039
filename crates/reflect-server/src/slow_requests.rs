//! Slow requests in the log: a line each, but no more than one a second, since a flood of them must not fill a disk.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

const PAUSE: Duration = Duration::from_secs(1);

/// What counts as slow, and when it was last said.
#[derive(Clone)]
pub(crate) struct SlowRequests {
    threshold: Duration,
    said: Arc<Mutex<Said>>,
}

#[derive(Default)]
struct Said {
    last: Option<Instant>,
    unsaid: u64,
}

impl SlowRequests {
    pub(crate) fn new(threshold: Duration) -> Self {
        Self { threshold, said: Arc::default() }
    }

    /// Whether a request that ends now after so long is to be said, and how many before it were not.
    pub(crate) fn is_due(&self, took: Duration, now: Instant) -> Option<u64> {
        if took < self.threshold {
            return None;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            said.unsaid += 1;
            return None;
        }
        said.last = Some(now);
        Some(std::mem::take(&mut said.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_line_a_second_that_counts_the_others() {
        let slow = SlowRequests::new(Duration::from_secs(1));
        let start = Instant::now();
        let at = |millis| slow.is_due(Duration::from_secs(2), start + Duration::from_millis(millis));
        assert_eq!((at(0), at(10), at(900), at(1_000)), (Some(0), None, None, Some(2)));
        assert_eq!(slow.is_due(Duration::from_millis(999), start + Duration::from_secs(9)), None);
        assert_eq!(at(9_000), Some(0));
    }
}

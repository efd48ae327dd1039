//! Slow requests in the log: a line each, but no more than ten in ten seconds, since a flood of them must not fill a disk.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How many lines there are in so long at most.
const LINES: u64 = 10;
const SPAN: Duration = Duration::from_secs(10);

/// What counts as slow, and when it was last said.
#[derive(Clone)]
pub(crate) struct SlowRequests {
    threshold: Duration,
    said: Arc<Mutex<Said>>,
}

#[derive(Default)]
struct Said {
    /// When the span began, and the lines in it.
    since: Option<Instant>,
    lines: u64,
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
        if said.since.is_none_or(|since| now.saturating_duration_since(since) >= SPAN) {
            (said.since, said.lines) = (Some(now), 0);
        }
        if said.lines == LINES {
            said.unsaid += 1;
            return None;
        }
        said.lines += 1;
        Some(std::mem::take(&mut said.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_ten_lines_in_ten_seconds_and_a_count_of_the_others() {
        let slow = SlowRequests::new(Duration::from_secs(1));
        let start = Instant::now();
        let at = |seconds| slow.is_due(Duration::from_secs(2), start + Duration::from_secs(seconds));
        assert!((0..10).all(|_| at(0) == Some(0)));
        assert_eq!((at(1), at(9), at(10), at(11)), (None, None, Some(2), Some(0)));
        assert_eq!(slow.is_due(Duration::from_millis(999), start), None);
    }
}

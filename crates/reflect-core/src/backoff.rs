//! How long to wait before something that failed is tried again.

use std::time::Duration;

/// Exponential back-off: the wait after the first failure, doubled with each further one up to the longest.
///
/// ```
/// use std::time::Duration;
/// use reflect_core::Backoff;
///
/// let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5));
/// assert_eq!([1, 2, 3, 4].map(|failures| backoff.wait(failures).as_secs()), [1, 2, 4, 5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// A back-off from `first` to `longest`. A `first` that is longer than `longest` is cut to it.
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// The longest wait.
    pub const fn longest(&self) -> Duration {
        self.longest
    }

    /// The wait after this many failures in a row. None at all waits like one.
    pub fn wait(&self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.longest)
    }

    /// The wait with jitter: between its half and its whole by `random`, which is any number, so that those who failed together do
    /// not come back together.
    pub fn jittered(&self, failures: u32, random: u32) -> Duration {
        let half = self.wait(failures) / 2;
        half + spread(half, random)
    }
}

/// A wait between zero and `most`, by `random`: zero for 0, nearly all of it for the highest number.
pub fn spread(most: Duration, random: u32) -> Duration {
    most.mul_f64(f64::from(random) / (f64::from(u32::MAX) + 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(first: u64, longest: u64) -> Backoff {
        Backoff::new(Duration::from_secs(first), Duration::from_secs(longest))
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<u64> = (0..9).map(|failures| seconds(1, 60).wait(failures).as_secs()).collect();
        assert_eq!(waits, [1, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(seconds(1, 60).wait(u32::MAX).as_secs(), 60);
        assert_eq!(Backoff::new(Duration::MAX, Duration::from_secs(60)).wait(9).as_secs(), 60);
        assert_eq!(seconds(0, 60).wait(5), Duration::ZERO);
    }

    #[test]
    fn jitter_reaches_from_the_half_to_the_whole() {
        assert_eq!(seconds(4, 60).jittered(1, 0), Duration::from_secs(2));
        assert_eq!(seconds(4, 60).jittered(1, u32::MAX / 2 + 1), Duration::from_secs(3));
        assert!(seconds(4, 60).jittered(1, u32::MAX) > Duration::from_millis(3_999));
    }

    proptest! {
        #[test]
        fn a_wait_never_shrinks_with_failures_and_never_passes_the_longest(
            first in 0..1_u64 << 40, longest in 0..1_u64 << 40, failures in 0..u32::MAX,
        ) {
            let backoff = Backoff::new(Duration::from_millis(first), Duration::from_millis(longest));
            prop_assert!(backoff.wait(failures) <= backoff.wait(failures + 1));
            prop_assert!(backoff.wait(failures + 1) <= Duration::from_millis(longest));
            prop_assert!(backoff.wait(failures) >= Duration::from_millis(first.min(longest)));
        }

        #[test]
        fn jitter_stays_between_the_half_and_the_whole(
            first in 0..1_u64 << 40, failures in 0..100_u32, random in any::<u32>(),
        ) {
            let backoff = Backoff::new(Duration::from_millis(first), Duration::from_secs(1 << 40));
            let (whole, jittered) = (backoff.wait(failures), backoff.jittered(failures, random));
            prop_assert!(whole / 2 <= jittered && jittered <= whole);
        }

        #[test]
        fn a_higher_number_never_waits_shorter(most in 0..1_u64 << 40, random in any::<u32>()) {
            let most = Duration::from_millis(most);
            prop_assert!(spread(most, random) <= spread(most, random.saturating_add(1)));
            prop_assert!(spread(most, random) <= most);
        }
    }
}

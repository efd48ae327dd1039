//! How long to wait before a call is tried again.

use std::time::Duration;

use reflect_core::Backoff;
use reflect_system::random_bytes;

use crate::Error;

/// The longest pause, whatever the server asks for: who waits longer should be told instead.
const LONGEST: Duration = Duration::from_secs(30);

/// The pauses of one call, until its repetitions are used up.
pub(super) struct Pauses {
    retries: u32,
    failures: u32,
    backoff: Backoff,
}

impl Pauses {
    pub(super) fn new(retries: u32, first: Duration) -> Self {
        Self { retries, failures: 0, backoff: Backoff::new(first, LONGEST) }
    }

    /// The next pause: the back-off, or what the server asked for if that is longer. None if there is to be no further try.
    pub(super) fn next(&mut self, error: &Error) -> Option<Duration> {
        if self.failures >= self.retries {
            return None;
        }
        self.failures += 1;
        let pause = self.backoff.jittered(self.failures, random_number());
        let asked_for = match error {
            Error::Refused(refused) => refused.retry_after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
        if asked_for > LONGEST { None } else { Some(pause.max(asked_for)) }
    }
}

/// Any number; the middle one where the operating system gives none.
fn random_number() -> u32 {
    random_bytes().map_or(u32::MAX / 2, u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refused;

    fn refused(retry_after: u64) -> Error {
        Error::Refused(Refused {
            code: "backlogged".into(),
            status: 503,
            message: String::new(),
            path: None,
            request_id: None,
            retry_after: Some(Duration::from_secs(retry_after)),
        })
    }

    #[test]
    fn pauses_double_and_end() {
        let mut pauses = Pauses::new(2, Duration::from_millis(100));
        let error = Error::Settings(String::new());
        let first = pauses.next(&error).unwrap();
        assert!((50..=100).contains(&first.as_millis()), "{first:?}");
        let second = pauses.next(&error).unwrap();
        assert!((100..=200).contains(&second.as_millis()), "{second:?}");
        assert_eq!(pauses.next(&error), None);
    }

    #[test]
    fn the_servers_wish_counts_unless_it_is_too_long() {
        let mut pauses = Pauses::new(9, Duration::from_millis(100));
        assert_eq!(pauses.next(&refused(7)), Some(Duration::from_secs(7)));
        assert_eq!(pauses.next(&refused(3_600)), None);
    }
}

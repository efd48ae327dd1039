//! How long to wait before a call is tried again.

use std::time::Duration;

use crate::Error;

/// The longest pause, whatever the server asks for: who waits longer should be told instead.
const LONGEST: Duration = Duration::from_secs(30);

/// The pauses of one call, until its repetitions are used up.
pub(super) struct Pauses {
    left: u32,
    next: Duration,
}

impl Pauses {
    pub(super) fn new(retries: u32, first: Duration) -> Self {
        Self { left: retries, next: first.min(LONGEST) }
    }

    /// The next pause: between half and the whole of one that doubles each time, or what the server asked for if that is
    /// longer. None if there is to be no further try.
    pub(super) fn next(&mut self, error: &Error) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let pause = self.next.mul_f64(0.5 + 0.5 * draw_fraction());
        self.next = (self.next * 2).min(LONGEST);
        let asked_for = match error {
            Error::Refused(refused) => refused.retry_after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
        if asked_for > LONGEST { None } else { Some(pause.max(asked_for)) }
    }
}

/// A number in [0, 1).
#[expect(clippy::disallowed_methods, reason = "jitter only; see `key.rs` for the other place")]
fn draw_fraction() -> f64 {
    let mut bytes = [0_u8; 2];
    getrandom::fill(&mut bytes).map_or(0.5, |()| f64::from(u16::from_le_bytes(bytes)) / 65_536.0)
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

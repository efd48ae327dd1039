//! Where the time of day comes from when nobody says.

use reflect_core::{Clock, Timestamp};

/// The machine's clock: what a run's times are told by unless [`crate::ReflexionBuilder::clock`] names another. Limits on time
/// do not depend on it; they follow the runtime's own clock, which never steps back.
///
/// ```
/// use reflect_core::Clock;
///
/// assert!(reflexion::SystemClock.now().as_micros() > 0);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where wall-clock time enters")]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

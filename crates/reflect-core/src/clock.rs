//! Time and randomness, as things that are handed in.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since 1970-01-01T00:00:00Z. On the wire it is RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

const DAY_MICROS: i64 = 86_400_000_000;

/// A text that is not an RFC 3339 time between the years 1 and 9999.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time like `2026-11-15T09:30:00Z`")]
pub struct ParseTimestampError(String);

impl Timestamp {
    /// The time this many microseconds after the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// This time moved by `milliseconds`, staying at the ends of the range rather than wrapping round.
    pub const fn plus_millis(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds.saturating_mul(1_000)))
    }

    /// The time this long after, or the end of the range.
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
    }

    /// The day in UTC, counted from 1970-01-01.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(DAY_MICROS)
    }

    /// The beginning of that day.
    pub const fn start_of_day(day: i64) -> Self {
        Self(day.saturating_mul(DAY_MICROS))
    }

    /// Whether a wait until this time goes on at `now`. One that ends further ahead than `longest` was begun before the clock was set
    /// back, and is over.
    pub fn is_awaited(self, now: Self, longest: Duration) -> bool {
        now < self && self <= now.plus(longest)
    }

    /// How many milliseconds lie between `earlier` and this time; zero if `earlier` is later.
    pub const fn millis_since(self, earlier: Self) -> u64 {
        let micros = self.0.saturating_sub(earlier.0);
        if micros < 0 { 0 } else { (micros / 1_000).unsigned_abs() }
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(time) => write!(f, "{time:.6}"),
            Err(_) => write!(f, "{} microseconds since 1970", self.0),
        }
    }
}

impl std::str::FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time: jiff::Timestamp = text.parse().map_err(|_| ParseTimestampError(text.to_owned()))?;
        Ok(Self(time.as_microsecond()))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = ParseTimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(time: Timestamp) -> Self {
        time.to_string()
    }
}

/// Where the time of day comes from.
pub trait Clock: Send + Sync {
    /// The time now. It may stand still or step back, as wall clocks do; nothing relies on it always rising.
    fn now(&self) -> Timestamp;
}

/// Where randomness comes from.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random bits fit for secrets.
    fn fill(&self, bytes: &mut [u8]);

    /// A random number, for jitter.
    fn number(&self) -> u32 {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        u32::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads_rfc_3339_in_utc() {
        let time = Timestamp::from_micros(1_794_734_000_123_456);
        assert_eq!(time.to_string(), "2026-11-15T09:13:20.123456Z");
        assert_eq!(time.to_string().parse(), Ok(time));
        assert_eq!("2026-11-15T10:13:20.123456+01:00".parse(), Ok(time));
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn a_wait_that_a_clock_set_back_has_stretched_is_over() {
        let (now, minute) = (Timestamp::from_micros(0), Duration::from_secs(60));
        assert!(now.plus_millis(1).is_awaited(now, minute) && now.plus(minute).is_awaited(now, minute));
        assert!(!now.is_awaited(now, minute) && !now.plus_millis(60_001).is_awaited(now, minute));
    }

    #[test]
    fn spans_never_go_below_zero() {
        let early = Timestamp::from_micros(1_000_000);
        assert_eq!(early.plus_millis(250).millis_since(early), 250);
        assert_eq!(early.plus(Duration::from_millis(250)), early.plus_millis(250));
        assert_eq!(early.millis_since(early.plus_millis(250)), 0);
        assert_eq!(early.plus(Duration::MAX).as_micros(), i64::MAX);
        assert_eq!(Timestamp::from_micros(i64::MAX).plus_millis(i64::MAX).as_micros(), i64::MAX);
    }
}

//! How long failed work pauses before it is tried again.

use reflect_core::Timestamp;

use crate::Engine;

/// The first pause before a failed attempt is repeated; each further one is twice as long.
pub(super) const FIRST_PAUSE_MILLIS: i64 = 1_000;

/// The longest pause.
const LONGEST_PAUSE_MILLIS: i64 = 60_000;

/// How long after a stand-in the model is asked again; each further try waits twice as long.
const FIRST_FOLLOW_UP_MILLIS: i64 = 15_000;

/// The longest pause between two follow-ups.
const LONGEST_FOLLOW_UP_MILLIS: i64 = 3_600_000;

impl Engine {
    /// Doubles with every attempt, up to a minute, with jitter.
    pub(super) fn pause_millis(&self, attempts: u32) -> i64 {
        let doubled = FIRST_PAUSE_MILLIS.checked_shl(attempts.saturating_sub(1)).unwrap_or(LONGEST_PAUSE_MILLIS);
        self.jittered(doubled.clamp(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS))
    }

    pub(super) fn follow_up_pause_millis(&self, attempt: u32) -> i64 {
        let doubled = FIRST_FOLLOW_UP_MILLIS << attempt.saturating_sub(1).min(16);
        self.jittered(doubled.min(LONGEST_FOLLOW_UP_MILLIS))
    }

    /// A random pause from the upper half of this one, so that jobs that failed together do not come back together.
    pub(super) fn jittered(&self, pause: i64) -> i64 {
        let mut random = [0_u8; 2];
        self.entropy.fill(&mut random);
        pause / 2 + pause / 2 * i64::from(u16::from_le_bytes(random)) / i64::from(u16::MAX)
    }

    /// A time up to half a minute after `at`, so that those who wait for the same event do not all come at once.
    pub(super) fn spread(&self, at: Timestamp) -> Timestamp {
        at.plus_millis(self.jittered(60_000) - 30_000)
    }
}

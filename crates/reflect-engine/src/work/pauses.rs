//! How long failed work pauses before it is tried again.

use std::time::Duration;

use reflect_core::{Backoff, Timestamp, spread};
use reflect_store::LatestDue;

use crate::Engine;

/// The pause of a job that is given back through no fault of its own.
pub(super) const GIVEN_BACK_PAUSE: Duration = Duration::from_secs(1);

/// The pauses before a failed attempt is repeated.
pub(super) const ATTEMPTS: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// The pause of a lesson whose task found the embedder busy.
pub(super) const BUSY: Backoff = Backoff::new(Duration::from_secs(4), Duration::from_secs(4));

/// The pauses after which a model is asked again for a lesson that a stand-in wrote.
pub(super) const FOLLOW_UPS: Backoff = Backoff::new(Duration::from_secs(15), Duration::from_secs(3_600));

/// Over how long those are spread who wait for the same event.
const SPREAD: Duration = Duration::from_secs(30);

/// How long a look at the queue may wait for its turn, while others claim jobs until later than it reckoned.
pub(super) const SLACK: Duration = Duration::from_secs(60);

impl Engine {
    /// When to try again what has failed this many times, with jitter.
    pub(super) fn retry_at(&self, backoff: Backoff, failures: u32) -> Timestamp {
        self.now().plus(backoff.jittered(failures, self.entropy.number()))
    }

    /// A time up to half a minute after `at`, so that those who wait for the same event do not all come at once. No later than any other
    /// pause ends: the claim looks for itself whether the event has come.
    pub(super) fn spread(&self, at: Timestamp) -> Timestamp {
        at.min(self.now().plus(FOLLOW_UPS.longest())).plus(spread(SPREAD, self.entropy.number()))
    }

    /// The latest times that pauses and leases reach to, with some slack.
    pub(super) fn latest_due(&self) -> LatestDue {
        let lease = self.lease().until.plus(SLACK);
        let after = |backoff: Backoff| self.now().plus(backoff.longest() + SPREAD + SLACK);
        LatestDue { lessons: lease.max(after(ATTEMPTS)), follow_ups: lease.max(after(FOLLOW_UPS)) }
    }
}

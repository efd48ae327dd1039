//! Which jobs are taken, and how many of them.

use std::sync::Arc;

use reflect_core::JobKind;
use reflect_store::{ClaimLimits, ClaimedJob, Lease};
use tokio::sync::OwnedSemaphorePermit;

use crate::{Engine, EngineResult};

/// How much longer than its timeout an attempt keeps its lease: time to store the lesson.
const LEASE_MARGIN_MILLIS: i64 = 30_000;

/// A claimed job. A follow-up holds one of the slots of those that may run at the same time, to its end.
pub(super) struct Claim {
    pub(super) job: ClaimedJob,
    pub(super) slot: Option<OwnedSemaphorePermit>,
}

impl Engine {
    /// Claims up to `limit` due jobs for this process: lessons, then as many follow-ups as can be worked right now.
    pub(super) async fn claim_jobs(&self, limit: usize) -> EngineResult<Vec<Claim>> {
        let limits = self.claim_limits(limit).await;
        let wanted = u32::try_from(limits.follow_ups).unwrap_or(u32::MAX);
        // Slots are taken before the claim: whoever goes on with a lesson that came late may want one, too.
        let mut slots = Arc::clone(&self.follow_ups).try_acquire_many_owned(wanted).ok();
        let limits = ClaimLimits { follow_ups: slots.as_ref().map_or(0, OwnedSemaphorePermit::num_permits), ..limits };
        let jobs = self.store.claim_jobs(self.lease(), self.now(), limits).await?;
        let with_slot = |job: ClaimedJob| match job.kind {
            JobKind::Lesson => Claim { job, slot: None },
            JobKind::FollowUp => Claim { job, slot: slots.as_mut().and_then(|slots| slots.split(1)) },
        };
        Ok(jobs.into_iter().map(with_slot).collect())
    }

    /// What a claim of up to `limit` jobs may take: no more follow-ups than have a slot, none of a model whose circuit
    /// breaker is open, one of a model that is due for a trial call, and none at all once the day's limit is spent.
    pub(super) async fn claim_limits(&self, limit: usize) -> ClaimLimits {
        let free = self.follow_ups.available_permits().min(limit);
        if free == 0 || self.models.iter().next().is_none() {
            // Without any model follow-ups have nothing to wait for, and end when they are worked.
            return ClaimLimits { follow_ups: free, ..limit.into() };
        }
        if self.spending.spent_until().await.is_some() {
            return ClaimLimits { follow_ups: 0, ..limit.into() };
        }
        let now = self.now();
        let of_model = self.models.iter().map(|model| (model.name.clone(), model.breaker.free_permits(now)));
        ClaimLimits { jobs: limit, follow_ups: free, of_model: of_model.collect() }
    }

    /// A lease of this process that begins now: long enough for an attempt, and for storing what it brings.
    pub(super) fn lease(&self) -> Lease {
        let timeout = i64::try_from(self.settings.attempt_timeout.as_millis()).unwrap_or(i64::MAX);
        self.coordination.lease(self.now().plus_millis(timeout.saturating_add(LEASE_MARGIN_MILLIS)))
    }
}

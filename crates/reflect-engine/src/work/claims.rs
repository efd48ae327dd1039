//! Which jobs are taken, and how many of them.

use std::sync::Arc;

use reflect_core::JobKind;
use reflect_store::{ClaimLimits, ClaimedJob, Lease};
use tokio::sync::OwnedSemaphorePermit;

use crate::{Engine, EngineResult};

/// A claimed job. A follow-up has its place among those that may run at the same time, and keeps it to its end.
pub(crate) struct Claim {
    pub(crate) job: ClaimedJob,
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

impl Engine {
    /// Claims up to `limit` due jobs for this process: lessons, then as many follow-ups as can be worked right now.
    pub(crate) async fn claim_jobs(&self, limit: usize) -> EngineResult<Vec<Claim>> {
        let limits = self.claim_limits(limit).await;
        let wanted = u32::try_from(limits.follow_ups).unwrap_or(u32::MAX);
        // They are taken before the claim: whoever goes on with a lesson that came late may want one, too.
        let mut places = Arc::clone(&self.follow_ups).try_acquire_many_owned(wanted).ok();
        let limits = ClaimLimits { follow_ups: places.as_ref().map_or(0, OwnedSemaphorePermit::num_permits), ..limits };
        let lease = Lease { owner: self.worker_id, until: self.lease_end() };
        let jobs = self.store.claim_jobs(lease, self.now(), limits).await?;
        let place = |job: &ClaimedJob| match job.kind {
            JobKind::Lesson => None,
            JobKind::FollowUp => places.as_mut().and_then(|places| places.split(1)),
        };
        let places: Vec<_> = jobs.iter().map(place).collect();
        Ok(jobs.into_iter().zip(places).map(|(job, place)| Claim { job, place }).collect())
    }

    /// What a claim of up to `limit` jobs may take: no more follow-ups than have a place, none of a model that is left alone, one of
    /// a model of which it is to be seen whether it is back, and none at all once the day's money is spent.
    pub(crate) async fn claim_limits(&self, limit: usize) -> ClaimLimits {
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
}

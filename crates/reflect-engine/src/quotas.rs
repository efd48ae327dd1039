//! Quotas: how many traces a project may store in a day.

use reflect_core::{ProjectId, Timestamp, TraceId};
use reflect_store::IdempotencyKey;

use crate::{Engine, EngineError, EngineResult, coordination::Reservation};

const DAY_MICROS: i64 = 24 * 3_600 * 1_000_000;

impl Engine {
    /// One more trace of the project's quota for today (UTC), where there is one. A request that was carried out before needs none.
    pub(crate) async fn reserve_trace(
        &self,
        project_id: &ProjectId,
        idempotency: Option<&IdempotencyKey>,
    ) -> EngineResult<Option<Reservation<'_>>> {
        let Some(most) = self.settings.daily_traces else { return Ok(None) };
        let (now, counts) = (self.now().as_micros(), &self.coordination.daily_traces);
        let day = now.div_euclid(DAY_MICROS);
        if !counts.knows(project_id, day) {
            let midnight = TraceId::earliest_at(Timestamp::from_micros(day * DAY_MICROS));
            let stored = self.store.count_traces_from(project_id.clone(), midnight).await?;
            counts.begin(project_id, day, stored);
        }
        if let Some(reservation) = counts.reserve(project_id, most) {
            return Ok(Some(reservation));
        }
        if let Some(IdempotencyKey { key, .. }) = idempotency
            && self.store.knows_idempotency_key(project_id.clone(), key.clone()).await?
        {
            return Ok(None);
        }
        let seconds_left = (DAY_MICROS - now.rem_euclid(DAY_MICROS)) / 1_000_000 + 1;
        Err(EngineError::QuotaExceeded { most, retry_after_seconds: seconds_left.unsigned_abs() })
    }
}

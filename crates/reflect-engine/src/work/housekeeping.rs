//! What is done every now and then: looking how far behind the queue is, removing old rows.

use std::time::Duration;

use reflect_core::Timestamp;

use crate::{Engine, EngineResult};

impl Engine {
    /// Removes what has outlived its retention.
    pub(super) async fn prune(&self) -> EngineResult<()> {
        let now = self.now();
        let before = |retention: Duration| -> Timestamp {
            now.plus_millis(-i64::try_from(retention.as_millis()).unwrap_or(i64::MAX))
        };
        let settings = &self.settings;
        let (retrievals, keys) =
            self.store.prune(before(settings.retrieval_retention), before(settings.idempotency_retention)).await?;
        if retrievals + keys > 0 {
            tracing::info!(retrievals, idempotency_keys = keys, "removed rows past their retention");
        }
        Ok(())
    }

    /// Looks how far behind the queue is, and makes due what a clock that was set back would leave waiting.
    pub async fn measure_backlog(&self) -> EngineResult<()> {
        let forward = self.store.bring_jobs_forward(self.latest_due(), self.now()).await?;
        if forward > 0 {
            tracing::warn!(
                lessons = forward,
                "the clock was set back; lessons that were due too far ahead are due now"
            );
            self.coordination.wake_worker();
        }
        Ok(self.coordination.measure_backlog(self.now()).await?)
    }
}

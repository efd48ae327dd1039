//! Looking how far behind the queue is.

use crate::{Engine, EngineResult};

impl Engine {
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

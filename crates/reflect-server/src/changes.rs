//! Changes that come to their end although their client has gone.

use reflect_engine::{EngineError, WaitedFor, waiting_for};
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Changes that other requests must hear of once they are stored: each is a task of its own, so that none stops half-way.
#[derive(Clone, Default)]
pub(crate) struct Changes(TaskTracker);

impl Changes {
    /// Makes a change. It goes on if nobody waits for it any more.
    pub(crate) async fn make<T: Send + 'static>(
        &self,
        change: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        // What is waited for there is for most of the time to be written.
        Ok(waiting_for(WaitedFor::Writer, self.0.spawn(change.in_current_span())).await?)
    }

    /// Waits for all that are under way.
    pub(crate) async fn finish(&self) {
        self.0.close();
        self.0.wait().await;
    }
}

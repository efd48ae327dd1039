//! Changes that come to their end although their client has gone.

use std::pin::Pin;

use reflect_engine::{EngineError, StoreError, WaitedFor, waiting_for};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// A task, whatever it changes: one kind for all of them keeps the binary small.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Changes that other requests must hear of once they are stored: each is a task of its own, so that none stops half-way.
#[derive(Clone, Default)]
pub(crate) struct Changes(TaskTracker);

impl Changes {
    /// Makes a change. It goes on if nobody waits for it any more.
    pub(crate) async fn make<T: Send + 'static>(
        &self,
        change: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        let task: Task = Box::pin(async move { drop(answer.send(change.await)) }.in_current_span());
        self.0.spawn(task);
        // What is waited for there is for most of the time to be written.
        let made = waiting_for(WaitedFor::Writer, answered).await;
        Ok(made.map_err(|_| StoreError::Closed)?)
    }

    /// Waits for all that are under way.
    pub(crate) async fn finish(&self) {
        self.0.close();
        self.0.wait().await;
    }
}

//! The end of the server, for answers that would go on without end.

use tokio::sync::watch;

/// Says when the server is to stop; never, where nobody can ask for it.
#[derive(Clone, Default)]
pub(crate) struct Stopping(pub(crate) Option<watch::Receiver<bool>>);

impl Stopping {
    /// Waits until the server is to stop.
    pub(crate) async fn asked(&self) {
        match self.0.clone() {
            // Fails only if nobody can ask for the end any more, and then everything is ending.
            Some(mut stopping) => drop(stopping.wait_for(|stop| *stop).await),
            None => std::future::pending().await,
        }
    }
}

//! What changes in a project, as it changes.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt, stream::BoxStream};
use reflect_api::ChangedEvent;

use crate::{ReflectClient, Result};

/// The changes of a project: a stream that says that something changed, and not to what. Four a second come at most; what changes
/// faster comes together.
pub struct Events {
    changes: BoxStream<'static, Result<ChangedEvent>>,
}

impl ReflectClient {
    /// Follows what changes in the project. Nothing is missed from when this answers; so ask for what you show after that, and again at
    /// every change. The stream ends when the server stops or the key may no longer read, and after an error: then follow anew.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let mut events = client.events().await?;
    /// while let Some(changed) = events.next().await {
    ///     if changed?.memories {
    ///         println!("{} memories by now", client.list_memories().await?.len());
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn events(&self) -> Result<Events> {
        let changes = self.world.events(&self.project_id).await?;
        // Whoever asks once more at the end hears that it is the end.
        Ok(Events { changes: Box::pin(changes.fuse()) })
    }
}

impl Events {
    /// Waits for the next change; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<ChangedEvent>> {
        self.changes.next().await
    }
}

impl Stream for Events {
    type Item = Result<ChangedEvent>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.changes.poll_next_unpin(context)
    }
}

//! Watching a project.

use reflect_api::ChangedEvent;
use reflect_engine::{Changed, Watch};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// Sees what changes in a project from now on.
    pub async fn watch(&self, asker: Asker<'_>) -> ServiceResult<Watch> {
        Ok(self.engine.watch(asker).await?)
    }
}

/// A change in the wire's words.
pub fn changed_event(Changed { traces, memories, settings, queue }: Changed) -> ChangedEvent {
    ChangedEvent { traces, memories, settings, queue }
}

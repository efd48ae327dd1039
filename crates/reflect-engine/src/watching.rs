//! Watching a project, for those who show it.

use reflect_core::Scope;

use crate::{Asker, Engine, EngineResult, Watch};

impl Engine {
    /// Sees what changes in a project from now on. Whoever keeps it asks every now and then whether they still [may](Self::may_watch).
    pub async fn watch(&self, asker: Asker<'_>) -> EngineResult<Watch> {
        self.may_watch(asker)?;
        self.open_project(asker).await?;
        Ok(self.coordination.watch(asker.project_id))
    }

    /// Refuses unless the key may watch this project, and it is there.
    pub fn may_watch(&self, asker: Asker<'_>) -> EngineResult<()> {
        self.admit(asker, Scope::TraceRead)
    }
}

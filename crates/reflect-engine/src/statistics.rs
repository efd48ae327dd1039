//! How a project stands, for those who look at it.

use reflect_core::{Scope, day_bounds};
use reflect_store::Statistics;

use crate::{Asker, Engine, EngineResult};

impl Engine {
    /// How a project stands: its runs of the last `days` days in UTC, its queue, its memories.
    pub async fn statistics(&self, asker: Asker<'_>, days: u32) -> EngineResult<Statistics> {
        self.admit(asker, Scope::TraceRead)?;
        let project = self.open_project(asker).await?;
        let viewpoint = self.viewpoint(&project);
        Ok(self.store.statistics(asker.project_id.clone(), viewpoint, day_bounds(self.now(), days)).await?)
    }
}

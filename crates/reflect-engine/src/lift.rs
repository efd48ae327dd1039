//! Whether memories help, by the tasks that did without.

use reflect_core::{
    Scope,
    lift::{HoldoutReport, LeftOut},
};

use crate::{Asker, Engine, EngineResult};

impl Engine {
    /// The report on the tasks since the holdout was last changed, and the share that is held out now.
    pub async fn lift(&self, asker: Asker<'_>, left_out: LeftOut) -> EngineResult<(HoldoutReport, f64)> {
        self.admit(asker, Scope::TraceRead)?;
        let project = self.open_project(asker).await?;
        // Queries are logged a moment after they were answered.
        self.store.settle().await?;
        let period = self.store.holdout_period(asker.project_id.clone()).await?;
        Ok((period.report(left_out), self.holdout_of(&project)))
    }
}

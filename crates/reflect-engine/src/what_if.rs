//! What another configuration would have done, by the log.

use reflect_core::{
    Scope, Timestamp,
    what_if::{Configuration, Evaluation},
};

use crate::{Asker, Engine, EngineResult};

impl Engine {
    /// What a configuration would have done, by the runs since the project's mixture was last changed, or since a later time.
    pub async fn evaluate_policy(
        &self,
        asker: Asker<'_>,
        target: Configuration,
        since: Option<Timestamp>,
    ) -> EngineResult<Evaluation> {
        self.admit(asker, Scope::TraceRead)?;
        self.open_project(asker).await?;
        // Queries are logged a moment after they were answered.
        self.store.settle().await?;
        let period = self.store.mixture_period(asker.project_id.clone(), since).await?;
        Ok(period.evaluate(&target))
    }
}

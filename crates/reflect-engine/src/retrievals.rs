//! The log of queries, read back.

use reflect_core::{Retrieval, RetrievalId, Scope};

use crate::{Asker, Engine, EngineError, EngineResult};

/// How long after its answer a query may not be in the log yet.
const LOGGED_WITHIN_MILLIS: i64 = 5_000;

impl Engine {
    /// One answered query: what was asked, with which settings, and what was shown.
    pub async fn get_retrieval(&self, asker: Asker<'_>, id: RetrievalId) -> EngineResult<Retrieval> {
        self.admit(asker, Scope::MemoryRead)?;
        let mut found = self.store.get_retrieval(asker.project_id.clone(), id).await?;
        let is_new = id >= RetrievalId::earliest_at(self.now().plus_millis(-LOGGED_WITHIN_MILLIS));
        if found.is_none() && is_new {
            // The log is written a moment after the answer.
            self.store.settle().await?;
            found = self.store.get_retrieval(asker.project_id.clone(), id).await?;
        }
        found.ok_or_else(|| {
            EngineError::NotFound(format!(
                "the log has no retrieval `{id}` of this project; it keeps them for a while only"
            ))
        })
    }
}

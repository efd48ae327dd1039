//! Searching.

use std::time::Duration;

use reflect_core::ProjectId;

use crate::{
    error::StoreResult,
    postgres,
    sql::Read,
    sqlite,
    waits::{WaitedFor, waiting_for},
};

/// Searches that may have to look at every row of a project.
///
/// They have connections of their own, so that those of queries are never all taken; a project has one at a time, so that none waits for
/// another's; and each ends at its deadline, or as soon as nobody waits for it any more.
pub(crate) enum Scans {
    Sqlite(sqlite::Scans),
    Postgres(postgres::Scans),
}

impl Scans {
    /// Runs `query` over one consistent view of the database. It waits for others as long as it may then take itself.
    pub(crate) async fn scan<T: Send + 'static>(
        &self,
        project_id: &ProjectId,
        patience: Duration,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        waiting_for(WaitedFor::Reader, async {
            match self {
                Self::Sqlite(scans) => scans.scan(project_id, patience, query).await,
                Self::Postgres(scans) => scans.scan(project_id, patience, query).await,
            }
        })
        .await
    }
}

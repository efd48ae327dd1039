//! Requests that were carried out before.

use reflect_core::{ProjectId, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Lane, Progress, Query, params},
    store::Store,
};

/// How many rows are removed before the clock is looked at.
const ROWS_AT_ONCE: usize = 64;

impl Store {
    /// Whether a request with this key was carried out before, whatever it was.
    pub async fn knows_idempotency_key(&self, project_id: ProjectId, key: String) -> StoreResult<bool> {
        let sql = "SELECT 1 FROM idempotency WHERE project_id = ?1 AND idempotency_key = ?2";
        self.readers.read(move |read| read.exists(sql, params![&project_id, &key])).await
    }

    /// Forgets keys from before this time, for a moment.
    pub async fn prune_idempotency_keys(&self, before: Timestamp) -> StoreResult<Progress> {
        let sql = "DELETE FROM idempotency WHERE (project_id, idempotency_key) IN (
                       SELECT project_id, idempotency_key FROM idempotency WHERE created_at < ?1
                       ORDER BY created_at LIMIT ?2 /* skip locked */)";
        self.writer.write_some(Lane::Queue, move |write| write.execute(sql, params![before, ROWS_AT_ONCE])).await
    }
}

//! Requests that were carried out before.

use reflect_core::ProjectId;

use crate::{
    error::StoreResult,
    sql::{Query, params},
    store::Store,
};

impl Store {
    /// Whether a request with this key was carried out before, whatever it was.
    pub async fn knows_idempotency_key(&self, project_id: ProjectId, key: String) -> StoreResult<bool> {
        let sql = "SELECT 1 FROM idempotency WHERE project_id = ?1 AND idempotency_key = ?2";
        self.readers.read(move |read| read.exists(sql, params![&project_id, &key])).await
    }
}

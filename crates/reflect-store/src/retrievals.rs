//! The retrieval log.

use reflect_core::{ProjectId, Retrieval, RetrievalId, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Query, params, to_json},
    sqlite::dialect,
    store::Store,
};

impl Store {
    /// Logs an answered query. Nobody waits for it; later writes see it.
    pub async fn insert_retrieval(&self, project_id: ProjectId, retrieval: Retrieval) -> StoreResult<()> {
        self.writer
            .write_lazily(move |write| {
                write.execute(
                    "INSERT INTO retrievals (project_id, key_id, retrieval_id, task, settings, shown, created_at)
                     SELECT project_id, ?2, ?3, ?4, ?5, ?6, ?7 FROM projects WHERE project_id = ?1",
                    params![
                        &project_id,
                        retrieval.key_id,
                        retrieval.id,
                        &retrieval.task,
                        to_json("settings", &retrieval.settings)?,
                        to_json("shown", &retrieval.shown)?,
                        retrieval.created_at,
                    ],
                )?;
                Ok(())
            })
            .await
    }

    /// One logged query of a project.
    pub async fn get_retrieval(&self, project_id: ProjectId, id: RetrievalId) -> StoreResult<Option<Retrieval>> {
        self.readers
            .read(move |read| {
                read.query_opt(
                    "SELECT key_id, task, settings, shown, created_at FROM retrievals
                     WHERE project_id = ?1 AND retrieval_id = ?2",
                    params![&project_id, id],
                    |row| {
                        Ok(Retrieval {
                            id,
                            key_id: row.get("key_id")?,
                            task: row.get("task")?,
                            settings: row.json("settings")?,
                            shown: row.json("shown")?,
                            created_at: row.get("created_at")?,
                        })
                    },
                )
            })
            .await
    }

    /// Forgets retrievals and idempotency keys from before these times. Answers how many of each.
    pub async fn prune(&self, retrievals_before: Timestamp, keys_before: Timestamp) -> StoreResult<(usize, usize)> {
        self.writer
            .write(move |write| {
                let retrievals = write.execute(dialect::PRUNE_RETRIEVALS, params![retrievals_before])?;
                let keys = write.execute("DELETE FROM idempotency WHERE created_at < ?1", params![keys_before])?;
                Ok((retrievals, keys))
            })
            .await
    }
}

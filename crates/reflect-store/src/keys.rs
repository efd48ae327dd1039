//! API keys. Only hashes of secrets come here.

use reflect_core::{ApiKey, KeyId, ProjectId, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, params},
    store::Store,
    tables::{
        idempotency::{IdempotencyKey, Once, Request},
        keys::{self, COLUMNS, KeyInsert, KeyWithHash, key_with_hash},
        projects,
    },
};

impl Store {
    /// Stores a key. `note` is remembered with the idempotency key and answered again when the request is repeated.
    /// `None` if the project is gone: a key that stayed behind would open the next project of that name.
    pub async fn insert_key(
        &self,
        key: KeyInsert,
        note: String,
        idempotency: Option<IdempotencyKey>,
    ) -> StoreResult<Option<Once<(KeyId, String)>>> {
        self.writer
            .write(Lane::of(&key.key.project_id), move |write| {
                let project_id = &key.key.project_id;
                let request = Request { project_id, key: idempotency.as_ref(), now: key.key.created_at };
                let stored = request.once(write, || {
                    if !projects::exists(write, project_id)? {
                        return Ok(Err(()));
                    }
                    keys::insert(write, &key)?;
                    Ok(Ok((key.key.id, note)))
                })?;
                Ok(stored.ok())
            })
            .await
    }

    /// The key that has this public id, revoked or not.
    pub async fn get_key_by_public_id(&self, public_id: String) -> StoreResult<Option<KeyWithHash>> {
        self.readers
            .ask(move |read| {
                let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE public_id = ?1");
                read.query_opt(&sql, params![&public_id], key_with_hash)
            })
            .await
    }

    /// The key with this id, if it is the project's.
    pub async fn get_key(&self, project_id: ProjectId, key_id: KeyId) -> StoreResult<Option<KeyWithHash>> {
        self.readers.ask(move |read| keys::get(read, &project_id, key_id)).await
    }

    /// A project's keys, oldest first.
    pub async fn list_keys(&self, project_id: ProjectId) -> StoreResult<Vec<ApiKey>> {
        self.readers
            .read(move |read| {
                let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE project_id = ?1 ORDER BY key_id");
                read.query_all(&sql, params![&project_id], |row| key_with_hash(row).map(|key| key.key))
            })
            .await
    }

    /// Revokes a key. Twice is as good as once: the first time stays. `None` if the project has no such key.
    pub async fn revoke_key(
        &self,
        project_id: ProjectId,
        key_id: KeyId,
        now: Timestamp,
    ) -> StoreResult<Option<ApiKey>> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                write.execute(
                    "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3) WHERE project_id = ?1 AND key_id = ?2",
                    params![&project_id, key_id, now],
                )?;
                Ok(keys::get(write, &project_id, key_id)?.map(|key| key.key))
            })
            .await
    }

    /// Removes keys that expired before this time. Answers how many.
    pub async fn prune_keys(&self, before: Timestamp) -> StoreResult<usize> {
        let sql = "DELETE FROM api_keys WHERE key_id IN (
                       SELECT key_id FROM api_keys WHERE expires_at < ?1 /* skip locked */)";
        self.writer.write(Lane::Queue, move |write| write.execute(sql, params![before])).await
    }

    /// Notes when keys were last used. Nobody waits for it.
    pub async fn touch_keys(&self, used: Vec<(KeyId, Timestamp)>) -> StoreResult<()> {
        let sql = "UPDATE api_keys SET last_used_at = ?2 WHERE key_id IN (
                       SELECT key_id FROM api_keys WHERE key_id = ?1 /* skip locked */)";
        self.writer
            .write_lazily(Lane::Queue, move |write| {
                for (key_id, at) in used {
                    write.submit(sql, params![key_id, at])?;
                }
                Ok(())
            })
            .await
    }
}

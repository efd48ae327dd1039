//! API keys. Only hashes of secrets come here.

use reflect_core::{ApiKey, KeyId, ProjectId, Timestamp};
use rusqlite::{Connection, Row};

use crate::{IdempotencyKey, Once, Store, StoreResult, idempotency::once, projects, rows, writer::Write};

const COLUMNS: &str =
    "key_id, project_id, public_id, secret_hash, label, scopes, environment, created_at, last_used_at, revoked_at";

/// A key to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInsert {
    /// What may be shown of it.
    pub key: ApiKey,
    /// The SHA-256 of its secret.
    pub secret_hash: [u8; 32],
}

/// A stored key with what is needed to check its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyWithHash {
    /// What may be shown of it.
    pub key: ApiKey,
    /// The SHA-256 of its secret.
    pub secret_hash: Vec<u8>,
}

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
            .write(move |write| {
                let now = key.key.created_at;
                let stored = once(write, &key.key.project_id, idempotency.as_ref(), now, || {
                    if !projects::exists(write, &key.key.project_id)? {
                        return Ok(Err(()));
                    }
                    insert(write, &key)?;
                    Ok(Ok((key.key.id, note)))
                })?;
                Ok(stored.ok())
            })
            .await
    }

    /// The key that has this public id, revoked or not.
    pub async fn get_key_by_public_id(&self, public_id: String) -> StoreResult<Option<KeyWithHash>> {
        self.readers
            .read(move |read| {
                let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE public_id = ?1");
                read.prepare_cached(&sql)?.query_and_then([public_id], key_with_hash)?.next().transpose()
            })
            .await
    }

    /// The key with this id, if it is the project's.
    pub async fn get_key(&self, project_id: ProjectId, key_id: KeyId) -> StoreResult<Option<KeyWithHash>> {
        self.readers.read(move |read| get(read, &project_id, key_id)).await
    }

    /// A project's keys, oldest first.
    pub async fn list_keys(&self, project_id: ProjectId) -> StoreResult<Vec<ApiKey>> {
        self.readers
            .read(move |read| {
                let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE project_id = ?1 ORDER BY key_id");
                let mut statement = read.prepare_cached(&sql)?;
                let keys = statement.query_and_then([project_id.as_str()], key_with_hash)?;
                keys.map(|key| key.map(|key| key.key)).collect()
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
            .write(move |write| {
                write
                    .prepare_cached(
                        "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3) WHERE project_id = ?1 AND key_id = ?2",
                    )?
                    .execute((project_id.as_str(), key_id.as_uuid(), now.as_micros()))?;
                Ok(get(write, &project_id, key_id)?.map(|key| key.key))
            })
            .await
    }

    /// Notes when keys were last used. Nobody waits for it.
    pub async fn touch_keys(&self, used: Vec<(KeyId, Timestamp)>) -> StoreResult<()> {
        self.writer
            .write_lazily(move |write| {
                let mut statement = write.prepare_cached("UPDATE api_keys SET last_used_at = ?2 WHERE key_id = ?1")?;
                for (key_id, at) in used {
                    statement.execute((key_id.as_uuid(), at.as_micros()))?;
                }
                Ok(())
            })
            .await
    }
}

pub(crate) fn insert(write: &Write, insert: &KeyInsert) -> StoreResult<()> {
    let key = &insert.key;
    write
        .prepare_cached(
            "INSERT INTO api_keys (key_id, project_id, public_id, secret_hash, label, scopes, environment, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            key.id.as_uuid(),
            key.project_id.as_str(),
            &key.public_id,
            insert.secret_hash.as_slice(),
            &key.label,
            rows::to_json("scopes", &key.scopes)?,
            key.environment.as_str(),
            key.created_at.as_micros(),
        ))?;
    Ok(())
}

fn get(read: &Connection, project_id: &ProjectId, key_id: KeyId) -> StoreResult<Option<KeyWithHash>> {
    let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE project_id = ?1 AND key_id = ?2");
    let mut statement = read.prepare_cached(&sql)?;
    statement.query_and_then((project_id.as_str(), key_id.as_uuid()), key_with_hash)?.next().transpose()
}

fn key_with_hash(row: &Row<'_>) -> StoreResult<KeyWithHash> {
    let project_id: String = row.get("project_id")?;
    let key = ApiKey {
        id: KeyId::from_uuid(row.get("key_id")?),
        project_id: project_id.try_into().map_err(|error| crate::StoreError::damaged("project_id", error))?,
        public_id: row.get("public_id")?,
        label: row.get("label")?,
        scopes: rows::json(row, "scopes")?,
        environment: rows::named(row, "environment")?,
        created_at: rows::time(row, "created_at")?,
        last_used_at: rows::maybe_time(row, "last_used_at")?,
        revoked_at: rows::maybe_time(row, "revoked_at")?,
    };
    Ok(KeyWithHash { key, secret_hash: row.get("secret_hash")? })
}

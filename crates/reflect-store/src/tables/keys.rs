//! Rows of API keys. Only hashes of secrets come here.

use reflect_core::{ApiKey, KeyId, ProjectId};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, params, to_json},
};

pub(crate) const COLUMNS: &str = "key_id, project_id, public_id, secret_hash, label, scopes, environment, created_at, last_used_at, revoked_at, expires_at";

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

pub(crate) fn insert(write: &dyn Transaction, insert: &KeyInsert) -> StoreResult<()> {
    let key = &insert.key;
    write.submit(
        "INSERT INTO api_keys (key_id, project_id, public_id, secret_hash, label, scopes, environment, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            key.id,
            &key.project_id,
            &key.public_id,
            insert.secret_hash.as_slice(),
            &key.label,
            to_json("scopes", &key.scopes)?,
            key.environment.as_str(),
            key.created_at,
            key.expires_at,
        ],
    )
}

pub(crate) fn get(read: &dyn Read, project_id: &ProjectId, key_id: KeyId) -> StoreResult<Option<KeyWithHash>> {
    let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE project_id = ?1 AND key_id = ?2");
    read.query_opt(&sql, params![project_id, key_id], key_with_hash)
}

pub(crate) fn key_with_hash(row: &dyn Row) -> StoreResult<KeyWithHash> {
    let key = ApiKey {
        id: row.get("key_id")?,
        project_id: row.get("project_id")?,
        public_id: row.get("public_id")?,
        label: row.get("label")?,
        scopes: row.json("scopes")?,
        environment: row.named("environment")?,
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
        revoked_at: row.get("revoked_at")?,
        expires_at: row.get("expires_at")?,
    };
    Ok(KeyWithHash { key, secret_hash: row.get("secret_hash")? })
}

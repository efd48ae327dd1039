//! "Do it once": a request that is sent again gets the first answer again.

use reflect_core::{ProjectId, Timestamp};
use rusqlite::OptionalExtension;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Store, StoreError, StoreResult, rows, writer::Write};

/// What a client sent along to mark a request as one and the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The client's own word for it, unique within the project.
    pub key: String,
    /// A hash over the kind of request and its body, so that a reused word is noticed.
    pub fingerprint: [u8; 32],
}

/// The answer to a request that may have been sent before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<T> {
    /// It was carried out now.
    First(T),
    /// It had been carried out before; this is the answer of then.
    Again(T),
    /// The same word came with another request.
    KeyReused,
}

impl<T> Once<T> {
    /// The answer, whether new or repeated; `None` when the word was reused.
    pub fn into_answer(self) -> Option<T> {
        match self {
            Once::First(answer) | Once::Again(answer) => Some(answer),
            Once::KeyReused => None,
        }
    }
}

impl Store {
    /// Whether a request with this key was carried out before, whatever it was.
    pub async fn knows_idempotency_key(&self, project_id: ProjectId, key: String) -> StoreResult<bool> {
        self.readers
            .read(move |read| {
                Ok(read
                    .prepare_cached("SELECT 1 FROM idempotency WHERE project_id = ?1 AND idempotency_key = ?2")?
                    .exists((project_id.as_str(), key))?)
            })
            .await
    }
}

/// Carries `operation` out unless its key was seen before, and remembers the answer in the same transaction.
/// An operation that refuses did nothing, and nothing is remembered of it.
pub(crate) fn once<T: Serialize + DeserializeOwned, R>(
    write: &Write,
    project_id: &ProjectId,
    key: Option<&IdempotencyKey>,
    now: Timestamp,
    operation: impl FnOnce() -> StoreResult<Result<T, R>>,
) -> StoreResult<Result<Once<T>, R>> {
    let Some(key) = key else {
        return Ok(operation()?.map(Once::First));
    };
    let seen = write
        .prepare_cached("SELECT fingerprint, answer FROM idempotency WHERE project_id = ?1 AND idempotency_key = ?2")?
        .query_row((project_id.as_str(), &key.key), |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    if let Some((fingerprint, answer)) = seen {
        if fingerprint != key.fingerprint {
            return Ok(Ok(Once::KeyReused));
        }
        let answer = serde_json::from_str(&answer).map_err(|error| StoreError::damaged("answer", error))?;
        return Ok(Ok(Once::Again(answer)));
    }
    let answer = match operation()? {
        Ok(answer) => answer,
        Err(refusal) => return Ok(Err(refusal)),
    };
    write
        .prepare_cached(
            "INSERT INTO idempotency (project_id, idempotency_key, fingerprint, answer, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            project_id.as_str(),
            &key.key,
            key.fingerprint.as_slice(),
            rows::to_json("answer", &answer)?,
            now.as_micros(),
        ))?;
    Ok(Ok(Once::First(answer)))
}

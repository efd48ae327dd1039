//! "Do it once": a request that is sent again gets the first answer again.

use reflect_core::{ProjectId, Timestamp};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{StoreError, StoreResult},
    sql::{Query, Read, Transaction, params, to_json},
};

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

/// A request to one project that may have been sent before.
pub(crate) struct Request<'a> {
    pub(crate) project_id: &'a ProjectId,
    pub(crate) key: Option<&'a IdempotencyKey>,
    pub(crate) now: Timestamp,
}

const SEEN: &str = "SELECT fingerprint, answer FROM idempotency WHERE project_id = ?1 AND idempotency_key = ?2";

impl Request<'_> {
    /// Says that it will be looked up.
    pub(crate) fn prefetch(&self, read: &dyn Read) -> StoreResult<()> {
        self.key.map_or(Ok(()), |key| read.prefetch(SEEN, params![self.project_id, &key.key]))
    }

    /// Carries `operation` out unless its key was seen before, and remembers the answer in the same transaction.
    /// An operation that refuses did nothing, and nothing is remembered of it.
    pub(crate) fn once<T: Serialize + DeserializeOwned, R>(
        &self,
        write: &dyn Transaction,
        operation: impl FnOnce() -> StoreResult<Result<T, R>>,
    ) -> StoreResult<Result<Once<T>, R>> {
        let Some(key) = self.key else {
            return Ok(operation()?.map(Once::First));
        };
        if let Some(seen) = seen(write, self.project_id, key)? {
            return Ok(Ok(seen));
        }
        let answer = match operation()? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (fingerprint, kept) = (key.fingerprint.as_slice(), to_json("answer", &answer)?);
        write.submit(
            "INSERT INTO idempotency (project_id, idempotency_key, fingerprint, answer, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![self.project_id, &key.key, fingerprint, kept, self.now],
        )?;
        Ok(Ok(Once::First(answer)))
    }
}

/// What came of a request with this key, if there was one: [`Once::Again`] or [`Once::KeyReused`].
pub(crate) fn seen<T: DeserializeOwned>(
    read: &dyn Read,
    project_id: &ProjectId,
    key: &IdempotencyKey,
) -> StoreResult<Option<Once<T>>> {
    let seen: Option<(Vec<u8>, String)> =
        read.query_opt(SEEN, params![project_id, &key.key], |row| Ok((row.get("fingerprint")?, row.get("answer")?)))?;
    let Some((fingerprint, answer)) = seen else { return Ok(None) };
    if fingerprint != key.fingerprint {
        return Ok(Some(Once::KeyReused));
    }
    let answer = serde_json::from_str(&answer).map_err(|error| StoreError::damaged("answer", error))?;
    Ok(Some(Once::Again(answer)))
}

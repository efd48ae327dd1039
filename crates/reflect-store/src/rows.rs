//! How values stand in rows.

use std::str::FromStr;

use reflect_core::{RawJson, Timestamp, UnknownName};
use rusqlite::Row;
use serde::{Serialize, de::DeserializeOwned};

use crate::{StoreError, StoreResult};

pub(crate) fn time(row: &Row<'_>, column: &str) -> StoreResult<Timestamp> {
    Ok(Timestamp::from_micros(row.get(column)?))
}

pub(crate) fn maybe_time(row: &Row<'_>, column: &str) -> StoreResult<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_micros))
}

/// A text enum by its one name.
pub(crate) fn named<T: FromStr<Err = UnknownName>>(row: &Row<'_>, column: &'static str) -> StoreResult<T> {
    row.get_ref(column)?
        .as_str()
        .map_err(|error| StoreError::damaged(column, error))?
        .parse()
        .map_err(|error| StoreError::damaged(column, error))
}

pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> StoreResult<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| StoreError::damaged(column, error))?;
    serde_json::from_str(text).map_err(|error| StoreError::damaged(column, error))
}

pub(crate) fn maybe_json<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> StoreResult<Option<T>> {
    let text = row.get_ref(column)?.as_str_or_null().map_err(|error| StoreError::damaged(column, error))?;
    text.map(serde_json::from_str).transpose().map_err(|error| StoreError::damaged(column, error))
}

pub(crate) fn raw_json(row: &Row<'_>, column: &'static str) -> StoreResult<RawJson> {
    RawJson::parse(row.get(column)?).map_err(|error| StoreError::damaged(column, error))
}

pub(crate) fn to_json<T: Serialize + ?Sized>(what: &'static str, value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::damaged(what, error))
}

/// A vector as little-endian `f32`s, the same bytes on every machine.
pub(crate) fn vector_to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn vector_from_blob(blob: &[u8]) -> Vec<f32> {
    let (values, _) = blob.as_chunks::<4>();
    values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

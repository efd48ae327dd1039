//! Values on their way into statements and out of rows.

use std::borrow::Cow;

use reflect_core::{EmbedderId, KeyId, MemoryId, ProjectId, RetrievalId, ReviewId, Timestamp, TraceId};
use uuid::Uuid;

/// One value, borrowed where that is possible.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Blob(Cow<'a, [u8]>),
    Uuid(Uuid),
}

impl Value<'_> {
    /// The same, borrowed from nobody.
    pub(crate) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(truth),
            Self::Integer(integer) => Value::Integer(integer),
            Self::Real(real) => Value::Real(real),
            Self::Uuid(uuid) => Value::Uuid(uuid),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Blob(blob) => Value::Blob(Cow::Owned(blob.into_owned())),
        }
    }
}

/// What can be read from a value.
pub(crate) trait FromValue: Sized {
    /// `None` if the value is of another type.
    fn from_value(value: Value<'_>) -> Option<Self>;
}

/// What a statement is given for each type.
macro_rules! written_as {
    ($($type:ty, $name:ident => $value:expr;)+) => { $(
        impl<'a> From<$type> for Value<'a> {
            fn from($name: $type) -> Self {
                $value
            }
        }
    )+ };
}

/// What each type is read from.
macro_rules! read_from {
    ($($type:ty, $($value:pat => $read:expr),+;)+) => { $(
        impl FromValue for $type {
            fn from_value(value: Value<'_>) -> Option<Self> {
                match value {
                    $($value => $read,)+
                    _ => None,
                }
            }
        }
    )+ };
}

macro_rules! integers {
    ($($integer:ty),+) => { $(
        written_as! { $integer, integer => Value::Integer(i64::try_from(integer).unwrap_or(i64::MAX)); }
        read_from! { $integer, Value::Integer(integer) => integer.try_into().ok(); }
    )+ };
}

macro_rules! ids {
    ($($id:ident),+) => { $(
        written_as! { $id, id => Value::Uuid(id.as_uuid()); }

        impl FromValue for $id {
            fn from_value(value: Value<'_>) -> Option<Self> {
                Uuid::from_value(value).map($id::from_uuid)
            }
        }
    )+ };
}

integers!(i64, u64, u32, usize);
ids!(TraceId, ReviewId, MemoryId, RetrievalId, KeyId);

written_as! {
    &'a str, text => Value::Text(Cow::Borrowed(text));
    &'a String, text => Value::Text(Cow::Borrowed(text));
    String, text => Value::Text(Cow::Owned(text));
    &'a ProjectId, project_id => project_id.as_str().into();
    &'a EmbedderId, embedder => embedder.as_str().into();
    &'a [u8], blob => Value::Blob(Cow::Borrowed(blob));
    Vec<u8>, blob => Value::Blob(Cow::Owned(blob));
    Uuid, uuid => Value::Uuid(uuid);
    f64, real => Value::Real(real);
    bool, truth => Value::Bool(truth);
    Timestamp, time => Value::Integer(time.as_micros());
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

read_from! {
    f64, Value::Real(real) => Some(real);
    bool, Value::Bool(truth) => Some(truth), Value::Integer(integer) => Some(integer != 0);
    String, Value::Text(text) => Some(text.into_owned());
    Vec<u8>, Value::Blob(blob) => Some(blob.into_owned());
    Uuid, Value::Uuid(uuid) => Some(uuid), Value::Blob(blob) => Uuid::from_slice(&blob).ok();
    Timestamp, Value::Integer(micros) => Some(Timestamp::from_micros(micros));
    ProjectId, Value::Text(text) => text.into_owned().try_into().ok();
    EmbedderId, Value::Text(text) => Some(EmbedderId(text.into_owned()));
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// A vector as little-endian `f32`s, the same bytes on every machine.
pub(crate) fn vector_to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn vector_from_blob(blob: &[u8]) -> Vec<f32> {
    let (values, _) = blob.as_chunks::<4>();
    values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

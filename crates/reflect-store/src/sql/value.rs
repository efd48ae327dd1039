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

/// What can be read from a value.
pub(crate) trait FromValue: Sized {
    /// `None` if the value is of another type.
    fn from_value(value: Value<'_>) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ty),+) => { $(
        impl From<$integer> for Value<'_> {
            fn from(integer: $integer) -> Self {
                Self::Integer(i64::try_from(integer).unwrap_or(i64::MAX))
            }
        }

        impl FromValue for $integer {
            fn from_value(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::Integer(integer) => integer.try_into().ok(),
                    _ => None,
                }
            }
        }
    )+ };
}

integers!(i64, u64, u32, usize);

macro_rules! ids {
    ($($id:ident),+) => { $(
        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Self::Uuid(id.as_uuid())
            }
        }

        impl FromValue for $id {
            fn from_value(value: Value<'_>) -> Option<Self> {
                Uuid::from_value(value).map($id::from_uuid)
            }
        }
    )+ };
}

ids!(TraceId, ReviewId, MemoryId, RetrievalId, KeyId);

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a ProjectId> for Value<'a> {
    fn from(project_id: &'a ProjectId) -> Self {
        project_id.as_str().into()
    }
}

impl<'a> From<&'a EmbedderId> for Value<'a> {
    fn from(embedder: &'a EmbedderId) -> Self {
        embedder.as_str().into()
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(blob: &'a [u8]) -> Self {
        Self::Blob(Cow::Borrowed(blob))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(blob: Vec<u8>) -> Self {
        Self::Blob(Cow::Owned(blob))
    }
}

impl From<Uuid> for Value<'_> {
    fn from(uuid: Uuid) -> Self {
        Self::Uuid(uuid)
    }
}

impl From<f64> for Value<'_> {
    fn from(real: f64) -> Self {
        Self::Real(real)
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        Self::Integer(time.as_micros())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl FromValue for f64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Real(real) => Some(real),
            _ => None,
        }
    }
}

impl FromValue for bool {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(truth),
            Value::Integer(integer) => Some(integer != 0),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Blob(blob) => Some(blob.into_owned()),
            _ => None,
        }
    }
}

impl FromValue for Uuid {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Uuid(uuid) => Some(uuid),
            Value::Blob(blob) => Uuid::from_slice(&blob).ok(),
            _ => None,
        }
    }
}

impl FromValue for Timestamp {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(Timestamp::from_micros)
    }
}

impl FromValue for ProjectId {
    fn from_value(value: Value<'_>) -> Option<Self> {
        String::from_value(value)?.try_into().ok()
    }
}

impl FromValue for EmbedderId {
    fn from_value(value: Value<'_>) -> Option<Self> {
        String::from_value(value).map(EmbedderId)
    }
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

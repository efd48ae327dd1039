//! JSON that is kept as it was written.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A JSON value as its own text: field order, number spelling and escapes are what the sender wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Takes a text that must be one JSON value.
    pub fn parse(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    /// The text, without white space around it.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The empty object, `{}`.
    pub fn empty_object() -> Self {
        Self::from_value(&serde_json::Value::Object(serde_json::Map::new()))
    }

    /// The text of a value. A value whose map keys are all strings can always be written.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Self {
        Self(serde_json::value::to_raw_value(value).unwrap_or_default())
    }

    /// Reads the text as a value. Numbers beyond the range of 64-bit integers and floats, and lone surrogates, are
    /// valid in the text and may still be refused here.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

//! Structs that are read from JSON objects alone.
//!
//! What serde derives for a struct also takes a list of its fields' values in their order. No client means that, and the
//! API's description does not allow it.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A `T` that came as an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// For a field that is an object.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|object| object.0)
}

/// For a field that is a list of objects.
pub(crate) fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let objects: Vec<Object<T>> = Vec::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|object| object.0).collect())
}

/// For a field that is an object, null or absent.
pub(crate) fn maybe_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let object: Option<Object<T>> = Option::deserialize(deserializer)?;
    Ok(object.map(|object| object.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CreateTraceRequest, EvaluatePolicyRequest, ReviewRequest, SettingsRequest};

    #[test]
    fn a_list_is_no_object() {
        assert!(serde_json::from_str::<Object<ReviewRequest>>(r#"{"result": "pass"}"#).is_ok());
        let error = serde_json::from_str::<Object<ReviewRequest>>(r#"["pass"]"#).unwrap_err();
        assert!(error.to_string().contains("expected an object"), "{error}");
        let nested = r#"{"task": "t", "trajectory": [], "review": ["pass"]}"#;
        assert!(serde_json::from_str::<Object<CreateTraceRequest>>(nested).is_err());
        assert!(serde_json::from_str::<EvaluatePolicyRequest>(r#"{"configuration": [0.3]}"#).is_err());
        for mixture in ["[0.5, []]", r#"{"share": 0.5, "configurations": [[0.3]]}"#] {
            let settings = format!(r#"{{"mixture": {mixture}}}"#);
            assert!(serde_json::from_str::<SettingsRequest>(&settings).is_err(), "{settings}");
        }
    }
}

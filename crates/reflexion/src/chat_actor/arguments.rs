//! Reading what a model sent into what a tool takes, and saying what was wrong with it.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

/// How a tool's arguments travel: models send objects only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arguments {
    /// The type is an object.
    Object,
    /// The type is anything else, sent under `value`.
    OneValue,
    /// The type has nothing to send.
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
struct OneValue<A> {
    value: A,
}

impl Arguments {
    /// How arguments of this type travel, and their schema.
    pub(super) fn of<A: JsonSchema>() -> (Self, Value) {
        let schema = schema::<A>();
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => (Self::Object, schema),
            Some("null") => (Self::Nothing, json!({"type": "object", "properties": {}})),
            _ => (Self::OneValue, schema_of_one::<A>()),
        }
    }

    /// Reads what a model sent; the error says where it is wrong and what should be there.
    pub(super) fn read<A: DeserializeOwned>(self, given: Value) -> Result<A, String> {
        let object = Self::object(given)?;
        match self {
            Self::Object => deserialize(object),
            Self::OneValue => deserialize::<OneValue<A>>(object).map(|one| one.value),
            Self::Nothing => deserialize(Value::Null),
        }
    }

    /// The object that was sent, perhaps as a text of JSON, as some models do; nothing at all is an empty one.
    pub(super) fn object(given: Value) -> Result<Value, String> {
        let value = match given {
            Value::String(text) if text.trim().is_empty() => Value::Null,
            Value::String(text) => {
                serde_json::from_str(&text).map_err(|error| format!("the arguments are not JSON: {error}"))?
            }
            other => other,
        };
        match value {
            Value::Null => Ok(Value::Object(Map::new())),
            object @ Value::Object(_) => Ok(object),
            other => Err(format!("the arguments are {}, expected an object", kind(&other))),
        }
    }
}

fn deserialize<A: DeserializeOwned>(value: Value) -> Result<A, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let what = error.into_inner();
        if path == "." { what.to_string() } else { format!("argument `{path}`: {what}") }
    })
}

fn schema<A: JsonSchema>() -> Value {
    // Not every provider follows references; only types that contain themselves are left with any.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.to_value()
}

fn schema_of_one<A: JsonSchema>() -> Value {
    let mut schema = schema::<OneValue<A>>();
    if let Some(object) = schema.as_object_mut() {
        object.remove("description");
    }
    schema
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Order {
        id: String,
        lines: Vec<Line>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Line {
        count: u32,
    }

    #[test]
    fn a_schema_is_an_object_without_references() {
        let (arguments, schema) = Arguments::of::<Order>();
        assert_eq!(arguments, Arguments::Object);
        assert_eq!(schema["properties"]["lines"]["items"]["properties"]["count"]["type"], "integer");
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        let (arguments, schema) = Arguments::of::<Vec<String>>();
        assert_eq!((arguments, &schema["properties"]["value"]["type"]), (Arguments::OneValue, &json!("array")));
        assert_eq!(Arguments::of::<()>(), (Arguments::Nothing, json!({"type": "object", "properties": {}})));
    }

    #[test]
    fn what_was_sent_is_read_in_whatever_wrapping() {
        let order = Order { id: "A".into(), lines: vec![Line { count: 2 }] };
        let sent = json!({"id": "A", "lines": [{"count": 2}]});
        assert_eq!(Arguments::Object.read::<Order>(sent.clone()), Ok(order));
        assert!(Arguments::Object.read::<Order>(Value::String(sent.to_string())).is_ok());
        assert_eq!(Arguments::OneValue.read::<u8>(json!({"value": 7})), Ok(7));
        for nothing in [Value::Null, json!(""), json!({}), json!({"stray": 1})] {
            assert_eq!(Arguments::Nothing.read::<()>(nothing), Ok(()));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let cases = [
            (json!({"id": "A", "lines": [{"count": "two"}]}), "argument `lines[0].count`"),
            (json!({"id": "A"}), "missing field `lines`"),
            (json!(["A", []]), "the arguments are a list, expected an object"),
            (json!("{\"id\": "), "the arguments are not JSON"),
        ];
        for (sent, said) in cases {
            let error = Arguments::Object.read::<Order>(sent).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}

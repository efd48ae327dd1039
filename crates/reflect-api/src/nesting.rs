//! How deep a JSON text nests and how much memory its values take, each found in one pass and without recursion.

/// The path to the first object or list that lies deeper than `allowed`, if there is one. Expects JSON; anything else is
/// looked at as if it were.
pub fn find_too_deep(json: &[u8], allowed: usize) -> Option<String> {
    let mut scanner = Scanner { levels: Vec::new(), string_start: None, last_string: None };
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        if scanner.string_start.is_some() {
            at = scanner.inside_string(json, byte, at);
            continue;
        }
        if matches!(byte, b'{' | b'[') && scanner.levels.len() >= allowed {
            return Some(scanner.path(json));
        }
        scanner.outside_string(byte, at);
        at += 1;
    }
    None
}

/// What a list, a key or a value takes: a list of one number has room for four.
const VALUE_BYTES: usize = 96;

/// What an object takes: one of a single key has room for eleven.
const OBJECT_BYTES: usize = 768;

/// How much memory a JSON text takes, beside its strings, where it is parsed before anyone knows what it should say.
pub fn parsed_bytes(json: &[u8]) -> usize {
    let mut scanner = Scanner { levels: Vec::new(), string_start: None, last_string: None };
    let (mut at, mut bytes) = (0, VALUE_BYTES);
    while let Some(&byte) = json.get(at) {
        if scanner.string_start.is_some() {
            at = scanner.inside_string(json, byte, at);
            continue;
        }
        match byte {
            b'"' => scanner.string_start = Some(at + 1),
            b'[' | b',' | b':' => bytes += VALUE_BYTES,
            b'{' => bytes += OBJECT_BYTES,
            _ => {}
        }
        at += 1;
    }
    bytes
}

/// One open object or list.
enum Level {
    List {
        index: usize,
    },
    /// The bytes of the key whose value is being looked at.
    Object {
        key: Option<(usize, usize)>,
    },
}

struct Scanner {
    levels: Vec<Level>,
    string_start: Option<usize>,
    last_string: Option<(usize, usize)>,
}

impl Scanner {
    fn inside_string(&mut self, json: &[u8], byte: u8, at: usize) -> usize {
        match byte {
            b'\\' => at + 2,
            b'"' => {
                self.last_string = self.string_start.take().map(|start| (start, at));
                at + 1
            }
            // Most bytes of a request are inside strings: skip to the next one that matters.
            _ => {
                let rest = json.get(at..).unwrap_or_default();
                at + memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len())
            }
        }
    }

    fn outside_string(&mut self, byte: u8, at: usize) {
        match byte {
            b'"' => self.string_start = Some(at + 1),
            b'{' => self.levels.push(Level::Object { key: None }),
            b'[' => self.levels.push(Level::List { index: 0 }),
            b'}' | b']' => drop(self.levels.pop()),
            b':' => {
                if let Some(Level::Object { key }) = self.levels.last_mut() {
                    *key = self.last_string;
                }
            }
            b',' => {
                if let Some(Level::List { index }) = self.levels.last_mut() {
                    *index += 1;
                }
            }
            _ => {}
        }
    }

    fn path(&self, json: &[u8]) -> String {
        let mut path = String::new();
        for level in &self.levels {
            match level {
                Level::List { index } => path += &format!("[{index}]"),
                Level::Object { key } => {
                    let key = key.and_then(|(start, end)| json.get(start..end)).unwrap_or_default();
                    let dot = if path.is_empty() { "" } else { "." };
                    path += &format!("{dot}{}", String::from_utf8_lossy(key));
                }
            }
            // Long enough to find the place; a path of thousands of levels helps nobody.
            if path.len() > 200 {
                path += "…";
                break;
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_the_place() {
        let json = br#"{"task": "a [ { \" b", "trajectory": [{}, {"content": {"deep": [1]}}]}"#;
        assert_eq!(find_too_deep(json, 4), Some("trajectory[1].content.deep".into()));
        assert_eq!(find_too_deep(json, 5), None);
        assert_eq!(find_too_deep(b"[[[]]]", 2), Some("[0][0]".into()));
        assert_eq!(find_too_deep(b"17", 0), None);
    }

    #[test]
    fn what_is_parsed_is_counted_outside_of_texts() {
        assert_eq!(parsed_bytes(b"17"), VALUE_BYTES);
        assert_eq!(parsed_bytes(br#"["a, [b", 2]"#), 3 * VALUE_BYTES);
        assert_eq!(parsed_bytes(br#"{"a:{": [1, {}], "\\": null}"#), 6 * VALUE_BYTES + 2 * OBJECT_BYTES);
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_trouble() {
        let deep = "[".repeat(100_000);
        assert!(find_too_deep(deep.as_bytes(), 64).is_some_and(|path| path.len() < 300));
    }

    fn depth(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            serde_json::Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![Just(serde_json::Value::Null), any::<String>().prop_map(Into::into)];
        leaf.prop_recursive(6, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_a_recursive_count(value in json(), allowed in 0..8_usize) {
            let text = value.to_string();
            prop_assert_eq!(find_too_deep(text.as_bytes(), allowed).is_some(), depth(&value) > allowed);
        }

        #[test]
        fn any_bytes_come_to_an_end(bytes in any::<Vec<u8>>()) {
            find_too_deep(&bytes, 3);
        }
    }
}

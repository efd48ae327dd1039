//! What is asked of texts that no database can tell as we mean it: SQLite knows the case of ASCII letters alone, PostgreSQL that of its
//! own tables of letters, and the JSON of neither is ours in every corner (numbers beyond 64 bits, lone surrogates, keys that come twice).

use std::collections::BTreeMap;

use reflect_core::metadata_reads;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};

/// Words that have to be found, folded, in any of some texts.
pub(crate) struct MissingWords<'a>(Vec<&'a str>);

impl<'a> MissingWords<'a> {
    /// All of these, which are folded and apart by blanks.
    pub(crate) fn new(words: &'a str) -> Self {
        Self(words.split_whitespace().collect())
    }

    /// Looks for them in one more text; says whether none is missing any more.
    pub(crate) fn look_into(&mut self, text: Option<&str>) -> bool {
        if let (Some(text), false) = (text, self.0.is_empty()) {
            let text = folded(text);
            self.0.retain(|word| !text.contains(word));
        }
        self.0.is_empty()
    }
}

/// Whether a list of ids in JSON has this one, which is given by its hexadecimal digits. Clients write ids in upper case, without
/// hyphens, or in braces, and all of these are read as ids elsewhere.
pub(crate) fn names_id(ids: &str, digits: &str) -> bool {
    ids.len() > digits.len()
        && ids.split(',').any(|id| {
            let mut written = id.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase());
            let uuid_of_urn = id.contains("urn:uuid:");
            if uuid_of_urn {
                written.nth("urnuuid".len() - 1);
            }
            written.eq(digits.bytes())
        })
}

/// Keys of metadata, each with all the texts that its value must read as.
pub(crate) struct Filters(BTreeMap<String, Vec<String>>);

impl Filters {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut filters: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, text) in pairs {
            filters.entry(key).or_default().push(text);
        }
        Self(filters)
    }

    /// Each key with one of its texts.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().flat_map(|(key, texts)| texts.iter().map(|text| (key.as_str(), text.as_str()))).collect()
    }

    /// Whether metadata has every key with such a value. It is read in one pass, values of other keys are not looked into: one that
    /// no program can hold hides none of the rest.
    pub(crate) fn match_all(&self, metadata: &str) -> bool {
        if !metadata.contains('\\') && !self.0.keys().all(|key| metadata.contains(key.as_str())) {
            return false;
        }
        let mut reader = serde_json::Deserializer::from_str(metadata);
        let Ok(found) = reader.deserialize_map(WantedValues(self)) else { return false };
        self.0.iter().all(|(key, texts)| {
            let stored = found.get(key.as_str()).and_then(|stored| serde_json::from_str::<Value>(stored.get()).ok());
            stored.is_some_and(|stored| texts.iter().all(|text| metadata_reads(&stored, text)))
        })
    }
}

/// Reads the values of the keys that are asked for. Where a key comes twice, the last one counts.
struct WantedValues<'a>(&'a Filters);

impl<'a, 'de> Visitor<'de> for WantedValues<'a> {
    type Value = BTreeMap<&'a str, &'de RawValue>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(wanted) = map.next_key_seed(WantedKey(self.0))? {
            match wanted {
                Some(key) => drop(found.insert(key, map.next_value()?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

/// Reads a key, and keeps it if it is asked for.
struct WantedKey<'a>(&'a Filters);

impl<'a, 'de> DeserializeSeed<'de> for WantedKey<'a> {
    type Value = Option<&'a str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for WantedKey<'a> {
    type Value = Option<&'a str>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.0.get_key_value(key).map(|(key, _)| key.as_str()))
    }
}

/// A text without the case of its letters. Letter by letter, so that what a part of a text becomes does not depend on the
/// rest of it.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_however_it_is_written() {
        let digits = "01a3185c500570008080000000000000";
        let written = "01a3185c-5005-7000-8080-000000000000";
        let upper = written.to_uppercase();
        for id in [written, digits, &upper, &format!("{{{written}}}"), &format!("urn:uuid:{written}")] {
            assert!(names_id(&format!(r#"["x", "{id}"]"#), digits), "{id}");
        }
        for ids in
            ["[]", r#"["01a3185c-5005-7000-8080-000000000001"]"#, r#"["01a3185c-5005-7000", "8080-000000000000"]"#]
        {
            assert!(!names_id(ids, digits), "{ids}");
        }
    }
}

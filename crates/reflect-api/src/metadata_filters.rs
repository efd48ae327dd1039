//! Filters by metadata in a query string: `metadata.KEY=value`.

use std::fmt;

use serde::{
    Deserializer, Serializer,
    de::{IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};

use crate::{Violation, checks, limits::NAME_LENGTH};

/// What the name of such a parameter begins with.
const PREFIX: &str = "metadata.";

/// How many filters a request may have, as in a query's `metadata_filter`.
pub(crate) const MAX_FILTERS: usize = 32;

/// Characters of a value to look for.
const VALUE_LENGTH: usize = 1_000;

/// A key that metadata must have, and how its value must read. A stored string is compared as it is, a number or boolean by
/// its JSON; where a list is stored, it must hold such a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataFilter {
    /// The key.
    pub key: String,
    /// How its value reads.
    pub value: String,
}

impl MetadataFilter {
    pub(crate) fn check(&self) -> Result<(), Violation> {
        checks::length("metadata", &self.key, NAME_LENGTH)?;
        checks::length(&format!("{PREFIX}{}", self.key), &self.value, VALUE_LENGTH)
    }
}

pub(crate) fn serialize<S: Serializer>(filters: &[MetadataFilter], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(filters.len()))?;
    for MetadataFilter { key, value } in filters {
        map.serialize_entry(&format!("{PREFIX}{key}"), value)?;
    }
    map.end()
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MetadataFilter>, D::Error> {
    deserializer.deserialize_map(Filters)
}

/// Takes the parameters that no field has taken. Those of other names are passed over, as unknown fields are anywhere.
struct Filters;

impl<'de> Visitor<'de> for Filters {
    type Value = Vec<MetadataFilter>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut filters = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.strip_prefix(PREFIX) {
                Some(key) => filters.push(MetadataFilter { key: key.to_owned(), value: map.next_value()? }),
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(filters)
    }
}

#[cfg(test)]
mod tests {
    use reflect_core::ReviewStatus;

    use super::*;
    use crate::ListTracesRequest;

    fn read(query: &str) -> ListTracesRequest {
        serde_urlencoded::from_str(query).unwrap()
    }

    #[test]
    fn filters_stand_beside_numbers_and_names() {
        let request =
            read("limit=5&metadata.team=blue&review_status=pending&metadata.a.b+c=%26&other=1&metadata.team=x");
        assert_eq!((request.limit, request.review_status), (Some(5), Some(ReviewStatus::Pending)));
        let pairs: Vec<_> = request.metadata.iter().map(|filter| (&*filter.key, &*filter.value)).collect();
        assert_eq!(pairs, [("team", "blue"), ("a.b c", "&"), ("team", "x")]);
        assert_eq!(read("").metadata, []);
    }

    #[test]
    fn what_a_client_writes_is_what_the_server_reads() {
        let filter = |key: &str, value: &str| MetadataFilter { key: key.into(), value: value.into() };
        let request = ListTracesRequest {
            limit: Some(5),
            text: Some("50 % & more".into()),
            since: Some("2026-11-01T00:00:00Z".parse().unwrap()),
            metadata: vec![filter("team", "blue"), filter("a.b c", "&=ü"), filter("team", "")],
            ..ListTracesRequest::default()
        };
        let written = serde_urlencoded::to_string(&request).unwrap();
        assert_eq!(read(&written), request, "{written}");
        assert_eq!(serde_urlencoded::to_string(ListTracesRequest::default()).unwrap(), "");
    }

    #[test]
    fn more_than_is_looked_for_is_refused() {
        let filter = |key: usize, value: usize| MetadataFilter { key: "k".repeat(key), value: "v".repeat(value) };
        let of = |metadata, text: usize| {
            let request = ListTracesRequest { metadata, text: Some("t".repeat(text)), ..ListTracesRequest::default() };
            request.check().map_err(|violation| violation.path)
        };
        assert_eq!(of(vec![filter(256, 1_000); 32], 1_000), Ok(()));
        assert_eq!(of(vec![filter(1, 1); 33], 0), Err("metadata".into()));
        assert_eq!(of(vec![filter(257, 1)], 0), Err("metadata".into()));
        assert_eq!(of(vec![filter(1, 1_001)], 0), Err("metadata.k".into()));
        assert_eq!(of(vec![], 1_001), Err("text".into()));
    }
}

//! Which schemas a database may have. Both backends number alike: what has the same number has the same tables.

use crate::error::{StoreError, StoreResult};

/// The schemas that this release knows, by their numbers, each with the statements that make it. The first one makes all tables of an empty
/// database, every other is a migration of the one before it.
pub(crate) type Schemas<'a> = &'a [(i64, &'a str)];

/// The newest schema that is known, for a database that has `found`, or 0 for none. One that this release cannot read is refused.
pub(crate) fn newest(schemas: Schemas<'_>, found: i64) -> StoreResult<i64> {
    let number = |schema: Option<&(i64, &str)>| schema.map_or(0, |(number, _)| *number);
    let (first, known) = (number(schemas.first()), number(schemas.last()));
    match found {
        0 => Ok(known),
        found if found < first => Err(StoreError::BeforeFirstSchema(found)),
        found if found > known => Err(StoreError::NewerSchema { found, known }),
        _ => Ok(known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_from_the_first_to_the_newest_are_known() {
        let schemas = [(28, ""), (29, ""), (30, "")];
        for known in [0, 28, 29, 30] {
            assert_eq!(newest(&schemas, known).unwrap(), 30);
        }
        for (unknown, said) in [(1, "schema 1, from before 0.1.0"), (27, "schema 27, from"), (31, "knows up to 30")] {
            let error = newest(&schemas, unknown).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}

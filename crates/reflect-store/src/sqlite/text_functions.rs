//! Functions that SQL asks about [texts](crate::texts).

use rusqlite::{Connection, functions::FunctionFlags, types::ValueRef};

use crate::texts::{Filters, MissingWords, names_id};

/// Makes `hold_words(words, text, …)`, words folded and apart by blanks, `names_id(ids, id)` and `metadata_matches(metadata, filters)`
/// known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("hold_words", -1, flags, |context| {
        let mut missing = MissingWords::new(context.get_raw(0).as_str()?);
        let mut hold = missing.look_into(None);
        for index in 1..context.len() {
            if hold {
                break;
            }
            hold = missing.look_into(context.get_raw(index).as_str_or_null()?);
        }
        Ok(hold)
    })?;
    connection.create_scalar_function("names_id", 2, flags, |context| {
        Ok(names_id(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("metadata_matches", 2, flags, |context| {
        // Read once for a whole search.
        let filters = context.get_or_create_aux(1, read_filters)?;
        Ok(filters.match_all(context.get_raw(0).as_str()?))
    })
}

fn read_filters(pairs: ValueRef<'_>) -> Result<Filters, Box<dyn std::error::Error + Send + Sync>> {
    let pairs: Vec<(String, String)> = serde_json::from_str(pairs.as_str()?)?;
    Ok(Filters::new(pairs))
}

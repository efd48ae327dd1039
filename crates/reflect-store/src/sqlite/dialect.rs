//! Statements that only SQLite understands, each with the reason. A second backend has a file like this one.

use crate::{
    error::StoreResult,
    sql::{Value, to_json},
};

/// Forgets retrievals from before `?1`. Rows are in the order of their time and `rowid` is that order, so the first one that is kept ends
/// the search, and no index on the time has to be kept up at every query.
pub(crate) const PRUNE_RETRIEVALS: &str = "DELETE FROM retrievals WHERE rowid < coalesce(
         (SELECT rowid FROM retrievals WHERE created_at >= ?1 ORDER BY rowid LIMIT 1), 9223372036854775807)";

/// That every one of the [words](words) in the parameter `number` occurs in one of these columns. SQLite itself knows the case of
/// ASCII letters alone; the function is ours.
pub(crate) fn hold_words(columns: &str, number: usize) -> String {
    format!("hold_words(?{number}, {columns})")
}

/// That the metadata in `column` matches all of the [filters] in the parameter `number`. SQLite's JSON is not ours in every corner;
/// the function is ours.
pub(crate) fn metadata_matches(column: &str, number: usize) -> String {
    format!("metadata_matches({column}, ?{number})")
}

/// Keys of metadata and how their values must read, as [`metadata_matches`] wants them.
pub(crate) fn filters(filters: &[(String, String)]) -> StoreResult<Value<'static>> {
    Ok(to_json("filters", filters)?.into())
}

/// The words of a text as [`hold_words`] wants them.
pub(crate) fn words(text: &str) -> Value<'static> {
    super::text_functions::folded(text).into()
}

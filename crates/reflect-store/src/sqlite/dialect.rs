//! Statements that only SQLite understands, each with the reason. A second backend has a file like this one.

use crate::{
    error::StoreResult,
    sql::{Value, to_json},
};

/// How many pages the file has that hold nothing.
pub(crate) const FREE_PAGES: &str =
    "SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count";

/// How many bytes the file has, and how many of them hold nothing.
pub(crate) const FILE_SIZE: &str = "SELECT page_count * page_size AS file, freelist_count * page_size AS free
     FROM pragma_page_count, pragma_page_size, pragma_freelist_count";

/// Gives some of the pages that hold nothing back to the file system. It answers a row for each.
pub(crate) const GIVE_BACK_PAGES: &str = "PRAGMA incremental_vacuum(64)";

/// That every one of the [words](words) in the parameter `number` occurs in one of these columns. SQLite itself knows the case of
/// ASCII letters alone; the function is ours.
pub(crate) fn hold_words(columns: &str, number: usize) -> String {
    format!("hold_words(?{number}, {columns})")
}

/// The texts of the lesson in a row of `memories`, for [`hold_words`].
pub(crate) const LESSON_TEXTS: &str = "json_extract(lesson, '$.summary'), json_extract(lesson, '$.key_mistake'), \
                                       json_extract(lesson, '$.correct_action'), json_extract(lesson, '$.guidance'), \
                                       json_extract(lesson, '$.applicable_tools')";

/// That the list of ids in `column`, which are texts as clients wrote them, has the one in the parameter `number`.
pub(crate) fn names_id(column: &str, number: usize) -> String {
    format!("names_id({column}, ?{number})")
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

//! Statements that only SQLite understands, each with the reason. PostgreSQL has a file like this one.

use crate::{
    error::StoreResult,
    sql::{Value, to_json},
    text_checks::TextCheck,
};

/// A write that changes nothing.
pub(crate) const PROBE: &str = "UPDATE writer SET instance = instance";

/// Whether there is a table `?1`.
pub(crate) const HAS_TABLE: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";

/// The columns of the table `?1`.
pub(crate) const COLUMNS: &str = "SELECT name FROM pragma_table_info(?1)";

/// How many pages the file has that hold nothing.
pub(crate) const FREE_PAGES: &str =
    "SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count";

/// How many bytes the file has, and how many of them hold nothing.
pub(crate) const FILE_SIZE: &str = "SELECT page_count * page_size AS file, freelist_count * page_size AS free
     FROM pragma_page_count, pragma_page_size, pragma_freelist_count";

/// Gives some of the pages that hold nothing back to the file system. It answers a row for each.
pub(crate) const GIVE_BACK_PAGES: &str = "PRAGMA incremental_vacuum(64)";

/// Whether a number is shared by memories, and which have it. PostgreSQL's index lets none share any.
pub(crate) const NUMBERED_ALIKE: &str = "SELECT m.project_id, m.memory_id FROM memories m NOT INDEXED
     JOIN (SELECT project_id, changed, min(rowid) AS first FROM memories NOT INDEXED
           GROUP BY project_id, changed HAVING count(*) > 1) a
       ON a.project_id = m.project_id AND a.changed = m.changed AND a.first < m.rowid";

/// A text check as a condition on the columns of its table. The functions are ours.
pub(crate) fn condition(check: &TextCheck, number: usize) -> String {
    let texts = check.columns().join(", ");
    match check {
        TextCheck::LessonWords(_) => format!("hold_words(?{number}, task, {LESSON_TEXTS})"),
        TextCheck::TraceWords(_) => format!("hold_words(?{number}, {texts})"),
        TextCheck::NamesMemory(_) => format!("names_id({texts}, ?{number})"),
        TextCheck::Metadata(_) => format!("metadata_matches({texts}, ?{number})"),
    }
}

/// What such a condition is bound to.
pub(crate) fn bound(check: &TextCheck) -> StoreResult<Value<'static>> {
    Ok(match check {
        TextCheck::LessonWords(words) | TextCheck::TraceWords(words) => words.clone().into(),
        TextCheck::NamesMemory(digits) => digits.clone().into(),
        TextCheck::Metadata(filters) => to_json("filters", &filters.pairs())?.into(),
    })
}

/// The texts of the lesson in a row of `memories`.
const LESSON_TEXTS: &str = "json_extract(lesson, '$.summary'), json_extract(lesson, '$.key_mistake'), \
                            json_extract(lesson, '$.correct_action'), json_extract(lesson, '$.guidance'), \
                            json_extract(lesson, '$.applicable_tools')";

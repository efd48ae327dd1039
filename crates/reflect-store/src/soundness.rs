//! Looking for damage in a whole database.
//!
//! SQLite's own check follows every page and every index, and does not look inside texts; PostgreSQL's server checks its pages itself. So each
//! text that has a checksum is held against it, row by row: one that SQLite cannot read does not stand in the way of the others.

use std::ops::ControlFlow;

use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Dialect, Query, Read, Row, Value, params},
    tables::{checksums::checksum, same_words},
};

/// What a check of the whole database found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileReport {
    /// How many texts and vectors were read.
    pub texts: usize,
    /// How many of them have no checksum, as lessons have none that were deleted: changed bytes in them cannot be seen.
    pub without_checksum: usize,
    /// What is damaged or lost, each in a sentence.
    pub damages: Vec<String>,
}

/// Rows with a checksum.
struct Checked {
    what: &'static str,
    table: &'static str,
    id: &'static str,
    columns: &'static [&'static str],
    checksum: &'static str,
}

const TRAJECTORIES: Checked = Checked {
    what: "the trajectory of trace",
    table: "trajectories",
    id: "trace_id",
    columns: &["trajectory"],
    checksum: "checksum",
};

const CHECKED: &[Checked] = &[
    Checked {
        what: "the texts of trace",
        table: "traces",
        id: "trace_id",
        columns: &["task", "final_response", "metadata", "reference_context"],
        checksum: "checksum",
    },
    TRAJECTORIES,
    Checked {
        what: "the lesson of memory",
        table: "memories",
        id: "memory_id",
        columns: &["lesson"],
        checksum: "checksum",
    },
    Checked {
        what: "an earlier lesson of memory",
        table: "memory_revisions",
        id: "memory_id",
        columns: &["lesson"],
        checksum: "checksum",
    },
    Checked {
        what: "a vector of memory",
        table: "vectors",
        id: "memory_id",
        columns: &["vector"],
        checksum: "checksum",
    },
    Checked {
        what: "the lesson's vector of memory",
        table: "vectors",
        id: "memory_id",
        columns: &["lesson_vector"],
        checksum: "lesson_checksum",
    },
];

const NUMBERED_ALIKE: &str = "SELECT project_id, changed, count(*) AS memories FROM memories NOT INDEXED
     GROUP BY project_id, changed HAVING count(*) > 1";

const WITHOUT_TRAJECTORY: &str = "SELECT t.project_id, t.trace_id AS id FROM traces t
     WHERE NOT EXISTS (SELECT 1 FROM trajectories y WHERE y.project_id = t.project_id AND y.trace_id = t.trace_id)";

/// Reads the whole database.
pub(crate) fn check(read: &dyn Read) -> StoreResult<FileReport> {
    let mut report = FileReport::default();
    let is_sqlite = read.dialect() == Dialect::Sqlite;
    if is_sqlite {
        check_pages(read, &mut report);
    }
    for checked in CHECKED {
        let check = if is_sqlite { check_table } else { walk_table };
        if let Err(error) = check(read, checked, &mut report) {
            report.damages.push(format!("the rows of `{}` cannot be listed: {error}", checked.table));
        }
    }
    let missing =
        read.query_all(WITHOUT_TRAJECTORY, params![], |row| Ok(format!("{} is missing", name(&TRAJECTORIES, row)?)));
    report.damages.extend(missing.unwrap_or_default());
    check_words(read, &mut report);
    Ok(report)
}

/// What SQLite finds by itself, and memories that share a change number, which PostgreSQL's index lets none.
fn check_pages(read: &dyn Read, report: &mut FileReport) {
    let pages = read.query_all("PRAGMA integrity_check", params![], |row| row.get::<String>("integrity_check"));
    match pages {
        Ok(said) => report.damages.extend(said.into_iter().filter(|line| line != "ok")),
        Err(error) => report.damages.push(format!("the pages of the file cannot be checked: {error}")),
    }
    let alike = read.query_all(NUMBERED_ALIKE, params![], |row| {
        let (project, memories) = (row.get::<String>("project_id")?, row.get::<u64>("memories")?);
        let changed: i64 = row.get("changed")?;
        Ok(format!(
            "{memories} memories of project `{project}` share the change number {changed}: --repair tells them apart"
        ))
    });
    report.damages.extend(alike.unwrap_or_default());
}

/// What memories are found by that say the same. Rows that cannot be read were told of before.
fn check_words(read: &dyn Read, report: &mut FileReport) {
    let differing = same_words::list_differing(read).unwrap_or_default();
    report.damages.extend(differing.into_iter().map(|(project, memory)| {
        format!("memory {memory} of project `{project}` is not found by what it says: --repair mends that")
    }));
}

/// Rows are read as they come.
fn walk_table(read: &dyn Read, checked: &Checked, report: &mut FileReport) -> StoreResult<()> {
    let Checked { table, id, columns, checksum, .. } = checked;
    let sql = format!("SELECT project_id, {id} AS id, {checksum} AS checksum, {} FROM {table}", columns.join(", "));
    read.walk(&sql, params![], &mut |row| {
        report.texts += 1;
        match is_as_written(row, columns)? {
            Some(true) => {}
            Some(false) => report.damages.push(format!("{} is not what was written", name(checked, row)?)),
            None => report.without_checksum += 1,
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Rows are listed by their index and read one by one.
fn check_table(read: &dyn Read, checked: &Checked, report: &mut FileReport) -> StoreResult<()> {
    let Checked { table, id, columns, checksum, .. } = checked;
    let row_sql = format!("SELECT {checksum} AS checksum, {} FROM {table} WHERE rowid = ?1", columns.join(", "));
    let list_sql =
        format!("SELECT rowid AS row, project_id, {id} AS id FROM {table} INDEXED BY sqlite_autoindex_{table}_1");
    read.each_row(&list_sql, params![], &mut |row| {
        report.texts += 1;
        let found = read.query_opt(&row_sql, params![row.get::<i64>("row")?], |row| is_as_written(row, columns));
        let problem = match found {
            Ok(Some(Some(true))) => return Ok(ControlFlow::Continue(())),
            Ok(Some(None)) => {
                report.without_checksum += 1;
                return Ok(ControlFlow::Continue(()));
            }
            Ok(Some(Some(false))) => "is not what was written".to_owned(),
            Ok(None) => "is lost".to_owned(),
            Err(error) => format!("cannot be read: {error}"),
        };
        report.damages.push(format!("{} {problem}", name(checked, row)?));
        Ok(ControlFlow::Continue(()))
    })
}

/// Whether a row has its checksum; `None` if it was written without one. Where there is nothing yet, nothing is damaged.
fn is_as_written(row: &dyn Row, columns: &[&str]) -> StoreResult<Option<bool>> {
    let values = columns.iter().map(|column| row.value(column)).collect::<StoreResult<Vec<Value<'_>>>>()?;
    let bytes = values.iter().map(|value| match value {
        Value::Text(text) => Some(text.as_bytes()),
        Value::Blob(blob) => Some(&**blob),
        _ => None,
    });
    if values.iter().all(|value| matches!(value, Value::Null)) {
        return Ok(Some(true));
    }
    let kept: Option<i64> = row.get("checksum")?;
    Ok(kept.map(|kept| kept == checksum(bytes)))
}

fn name(checked: &Checked, row: &dyn Row) -> StoreResult<String> {
    let (project, id) = (row.get::<String>("project_id")?, row.get::<Uuid>("id")?);
    Ok(format!("{} {id} in project `{project}`", checked.what))
}

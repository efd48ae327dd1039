//! Answers that a transaction knows already, until it changes what they are about.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use super::answer::Answer;
use crate::{sql::Value, tables::all::TABLES};

/// The answers to questions that were asked ahead, some of which may be on their way.
#[derive(Default)]
pub(super) struct Known(HashMap<String, Vec<Asked>>);

/// What a question was asked with, and its answer.
type Asked = (Vec<Value<'static>>, Arc<OnceLock<Answer>>);

impl Known {
    pub(super) fn find(&self, sql: &str, params: &[Value<'_>]) -> Option<Arc<OnceLock<Answer>>> {
        let asked = self.0.get(sql)?;
        asked.iter().find(|(with, _)| with == params).map(|(_, answer)| Arc::clone(answer))
    }

    /// Where the answer to a new question goes.
    pub(super) fn insert(&mut self, sql: &str, params: Vec<Value<'static>>) -> Arc<OnceLock<Answer>> {
        let answer = Arc::default();
        self.0.entry(sql.to_owned()).or_default().push((params, Arc::clone(&answer)));
        answer
    }

    /// Forgets what is about the table that a statement writes, unless both name a row of it and it is another one, or a question is about all rows
    /// but that one.
    pub(super) fn forget_changed_by(&mut self, sql: &str, params: &[Value<'_>]) {
        let Some(table) = written_table(sql).filter(|_| !self.0.is_empty()) else { return };
        let written = written_row(table, sql, params);
        for (question, asked) in self.0.iter_mut().filter(|(question, _)| question.contains(table)) {
            asked.retain(|(with, _)| {
                let is_another = |row| {
                    named_row(table, question, with).is_some_and(|id| id != row)
                        || left_out_row(table, question, with) == Some(row)
                };
                written.is_some_and(is_another)
            });
        }
    }
}

/// The one row of a table that a statement writes: what its id is.
fn written_row<'a, 'v>(table: &str, sql: &str, params: &'a [Value<'v>]) -> Option<&'a Value<'v>> {
    let Some(inserted) = sql.strip_prefix("INSERT INTO ") else { return named_row(table, sql, params) };
    let (columns, values) = inserted.split_once('(')?.1.split_once(')')?;
    let values = values.trim_start();
    let values = values.strip_prefix("VALUES (").or_else(|| values.strip_prefix("SELECT "))?;
    let position = columns.split(',').position(|column| Some(column.trim()) == id_of(table))?;
    param(params, values.split(',').nth(position)?.trim().strip_prefix('?')?)
}

/// The one row of a table that a statement is about, if it says so: `trace_id = ?2`.
fn named_row<'a, 'v>(table: &str, sql: &str, params: &'a [Value<'v>]) -> Option<&'a Value<'v>> {
    let id = id_of(table).filter(|_| !sql.contains(" OR "))?;
    compared(params, sql, id, "=")
}

/// The parameter that a column is first compared with in that way.
fn compared<'a, 'v>(params: &'a [Value<'v>], sql: &str, column: &str, how: &str) -> Option<&'a Value<'v>> {
    let (before, number) = sql.split_once(&format!("{column} {how} ?"))?;
    let is_whole_name = !before.ends_with(|character: char| character.is_alphanumeric() || character == '_');
    param(params, number).filter(|_| is_whole_name)
}

/// The one row of a table that a question leaves out, if it says so: `reporter <> ?2`.
fn left_out_row<'a, 'v>(table: &str, sql: &str, params: &'a [Value<'v>]) -> Option<&'a Value<'v>> {
    let id = id_of(table).filter(|_| !sql.contains(" OR "))?;
    compared(params, sql, id, "<>")
}

/// The column that tells the rows of a table apart within a project, if it is one alone.
fn id_of(table: &str) -> Option<&'static str> {
    let table = TABLES.iter().find(|known| known.name == table)?;
    table.key.strip_prefix("project_id, ").filter(|column| !column.contains(','))
}

/// The parameter whose number a text begins with.
fn param<'a, 'v>(params: &'a [Value<'v>], text: &str) -> Option<&'a Value<'v>> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let number: usize = text.get(..digits)?.parse().ok()?;
    params.get(number.checked_sub(1)?)
}

/// The table that a statement writes, if it writes any.
pub(super) fn written_table(sql: &str) -> Option<&str> {
    let behind = |word: &str| sql.split_once(word).and_then(|(_, rest)| rest.split_whitespace().next());
    match sql.split_whitespace().next()? {
        "INSERT" => behind("INTO "),
        "DELETE" => behind("FROM "),
        "UPDATE" | "WITH" => behind("UPDATE "),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sql::params,
        tables::reporters::{COUNT, OTHERS},
    };

    #[test]
    fn what_is_written_is_known_no_more() {
        let (traces, jobs) = ("SELECT 1 FROM traces WHERE a = ?1", "SELECT 1 FROM jobs WHERE a = ?1");
        for (write, keeps_traces, keeps_jobs) in [
            ("SELECT * FROM traces", true, true),
            ("INSERT INTO traces (a) VALUES (?1)", false, true),
            ("UPDATE jobs SET a = ?1", true, false),
            ("DELETE FROM jobs WHERE a = ?1", true, false),
            ("WITH due AS (SELECT 1) UPDATE jobs j SET a = ?1", true, false),
        ] {
            let mut known = Known::default();
            for sql in [traces, jobs] {
                known.insert(sql, vec![Value::Integer(1)]);
            }
            assert!(known.find(traces, params![2_i64]).is_none());
            known.forget_changed_by(write, &[]);
            let found = [traces, jobs].map(|sql| known.find(sql, params![1_i64]).is_some());
            assert_eq!(found, [keeps_traces, keeps_jobs], "{write}");
        }
    }

    #[test]
    fn what_leaves_a_row_out_stays_known_when_that_is_written() {
        let [one, other] = [1, 2].map(|number| Value::Uuid(uuid::Uuid::from_u128(number)));
        let about = |row: &Value<'static>| vec![Value::Text("p".into()), row.clone()];
        let all = "DELETE FROM reporters WHERE project_id = ?1";
        for (row, write, stays) in [(&one, COUNT, true), (&other, COUNT, false), (&one, all, false)] {
            let mut known = Known::default();
            known.insert(OTHERS, about(&one));
            known.forget_changed_by(write, &about(row));
            assert_eq!(known.find(OTHERS, &about(&one)).is_some(), stays, "{write}");
        }
    }

    #[test]
    fn another_row_stays_known() {
        let [one, other] = [1, 2].map(|number| Value::Uuid(uuid::Uuid::from_u128(number)));
        let project = Value::Text("p".into());
        let about = |row: &Value<'static>| vec![project.clone(), row.clone()];
        let created = "SELECT created_memory_id FROM traces WHERE project_id = ?1 AND trace_id = ?2";
        let joined =
            "SELECT 1 FROM traces t JOIN memories m ON m.memory_id = t.created_memory_id WHERE t.trace_id = ?2";
        for (write, keeps_created, keeps_joined) in [
            ("INSERT INTO traces (project_id, trace_id, task) VALUES (?1, ?2, 'x')", true, true),
            (
                "INSERT INTO memories (project_id, memory_id) SELECT project_id, ?2 FROM traces WHERE trace_id = ?2",
                true,
                false,
            ),
            ("UPDATE traces SET created_memory_id = NULL WHERE project_id = ?1 AND trace_id = ?2", true, true),
            ("UPDATE traces SET warnings = '[]' WHERE project_id = ?1 AND created_memory_id = ?2", false, false),
            ("UPDATE traces SET warnings = '[]' WHERE trace_id = ?2 OR retrieval_id = ?2", false, false),
            ("UPDATE memories SET uses = 1 WHERE project_id = ?1 AND memory_id = ?2", true, false),
        ] {
            let mut known = Known::default();
            for sql in [created, joined] {
                known.insert(sql, about(&one));
            }
            let finds = |known: &Known| [created, joined].map(|sql| known.find(sql, &about(&one)).is_some());
            known.forget_changed_by(write, &about(&other));
            assert_eq!(finds(&known), [keeps_created, keeps_joined], "{write}");
            known.forget_changed_by("UPDATE traces SET task = '' WHERE trace_id = ?2", &about(&one));
            assert_eq!(finds(&known), [false, false], "{write}");
        }
    }
}

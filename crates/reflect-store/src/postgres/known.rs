//! Answers that a transaction knows already, until it changes what they are about.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use super::answer::Answer;
use crate::sql::Value;

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

    /// Forgets what names the table that a statement writes.
    pub(super) fn forget_changed_by(&mut self, sql: &str) {
        if let Some(table) = written_table(sql)
            && !self.0.is_empty()
        {
            self.0.retain(|question, _| !question.contains(table));
        }
    }
}

/// The table that a statement writes, if it writes any.
fn written_table(sql: &str) -> Option<&str> {
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
    use crate::sql::params;

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
            known.forget_changed_by(write);
            let found = [traces, jobs].map(|sql| known.find(sql, params![1_i64]).is_some());
            assert_eq!(found, [keeps_traces, keeps_jobs], "{write}");
        }
    }
}

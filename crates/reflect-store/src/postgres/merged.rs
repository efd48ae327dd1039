//! Several writes as one statement: a message costs the server more than a row does.

use std::fmt::Write as _;

use super::{known::written_table, values::Param};

/// Writes that go together: none of them has to do with a table that another one writes, so all may see what was there before.
#[derive(Default)]
pub(super) struct Merged(Vec<(String, Vec<Param>)>);

impl Merged {
    /// Whether a statement may go with those that are here.
    pub(super) fn fits(&self, sql: &str) -> bool {
        let Some(table) = mergeable_table(sql) else { return false };
        self.0
            .iter()
            .all(|(other, _)| !other.contains(table) && mergeable_table(other).is_some_and(|at| !sql.contains(at)))
    }

    pub(super) fn push(&mut self, sql: &str, params: Vec<Param>) {
        self.0.push((sql.to_owned(), params));
    }

    /// All of them, as one statement; none is left.
    pub(super) fn take(&mut self) -> Option<(String, Vec<Param>)> {
        let mut before = std::mem::take(&mut self.0);
        let (last, last_params) = before.pop()?;
        if before.is_empty() {
            return Some((last, last_params));
        }
        let (mut merged, mut params) = (String::new(), Vec::new());
        for (number, (sql, of_sql)) in before.into_iter().enumerate() {
            let begin = if number == 0 { "WITH" } else { "," };
            let _ = write!(merged, "{begin} write_{number} AS (");
            push_renumbered(&mut merged, &sql, params.len());
            merged.push(')');
            params.extend(of_sql);
        }
        merged.push(' ');
        push_renumbered(&mut merged, &last, params.len());
        params.extend(last_params);
        Some((merged, params))
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The table that a statement writes, if that is all it does.
fn mergeable_table(sql: &str) -> Option<&str> {
    let is_plain = ["INSERT ", "UPDATE ", "DELETE "].iter().any(|begin| sql.starts_with(begin));
    written_table(sql).filter(|_| is_plain)
}

/// Adds a statement whose parameters come after so many others.
fn push_renumbered(merged: &mut String, sql: &str, after: usize) {
    let mut parts = sql.split('?');
    merged.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let number: usize = number.parse().unwrap_or_default();
        let _ = write!(merged, "?{}{rest}", number + after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Value;

    fn numbers(numbers: impl IntoIterator<Item = i64>) -> Vec<Param> {
        numbers.into_iter().map(|number| Param::One(Value::Integer(number))).collect()
    }

    #[test]
    fn writes_become_one_statement_with_all_parameters() {
        let mut merged = Merged::default();
        assert!(merged.take().is_none());
        merged.push("INSERT INTO a (x, y) VALUES (?1, ?2)", numbers([1, 2]));
        merged.push("UPDATE b SET x = ?2 WHERE y = ?1", numbers([3, 4]));
        merged.push("DELETE FROM c WHERE x = ?1 OR y = ?10", numbers([5]));
        let (sql, params) = merged.take().unwrap();
        assert_eq!(
            sql,
            "WITH write_0 AS (INSERT INTO a (x, y) VALUES (?1, ?2)), write_1 AS (UPDATE b SET x = ?4 WHERE y = ?3) \
             DELETE FROM c WHERE x = ?5 OR y = ?14"
        );
        assert_eq!(params, numbers([1, 2, 3, 4, 5]));
        merged.push("DELETE FROM c WHERE x = ?1", numbers([5]));
        assert_eq!(merged.take().unwrap().0, "DELETE FROM c WHERE x = ?1");
    }

    #[test]
    fn what_has_to_do_with_a_written_table_does_not_go_with_it() {
        let mut merged = Merged::default();
        assert!(merged.fits("INSERT INTO traces (x) VALUES (?1)"));
        merged.push("INSERT INTO traces (x) VALUES (?1)", Vec::new());
        merged.push("UPDATE jobs SET x = 1 WHERE y IN (SELECT y FROM queue)", Vec::new());
        for (sql, fits) in [
            ("INSERT INTO reviews (x) VALUES (?1)", true),
            ("INSERT INTO traces (x) VALUES (?1)", false),
            ("INSERT INTO reviews (x) SELECT x FROM traces", false),
            ("DELETE FROM queue WHERE x = ?1", false),
            ("WITH due AS (SELECT 1) UPDATE reviews SET x = ?1", false),
            ("SELECT pg_notify(?1, ?2)", false),
        ] {
            assert_eq!(merged.fits(sql), fits, "{sql}");
        }
    }
}

//! Searches by what texts say: part of the SQL where the database can call our functions, else checked row by row as they come.

use std::ops::ControlFlow;

use crate::{
    error::StoreResult,
    sql::{Dialect, Read, Row, Value},
    sqlite::dialect,
    text_checks::TextCheck,
};

/// A list of ids that a query finds, page by page.
pub(crate) struct Search<'a> {
    /// The column with the ids.
    pub(crate) id: &'static str,
    /// `FROM …`.
    pub(crate) tables: &'a str,
    /// What SQL can tell.
    pub(crate) conditions: String,
    /// What it is told with.
    pub(crate) params: Vec<Value<'a>>,
    /// What texts have to say. Those that read the most come last.
    pub(crate) checks: Vec<TextCheck>,
    /// The columns that the list is ordered by.
    pub(crate) order: String,
    /// How many at most.
    pub(crate) limit: usize,
}

impl Search<'_> {
    /// Hands over each row that is found, up to the limit.
    pub(crate) fn each(
        mut self,
        read: &dyn Read,
        mut each: impl FnMut(&dyn Row) -> StoreResult<()>,
    ) -> StoreResult<()> {
        if self.checks.is_empty() || read.dialect() == Dialect::Sqlite {
            let sql = self.select()?;
            return read.each_row(&sql, &self.params, &mut |row| each(row).map(ControlFlow::Continue));
        }
        let mut left = self.limit;
        let columns: Vec<&str> = self.checks.iter().flat_map(TextCheck::columns).copied().collect();
        let Self { id, tables, conditions, order, .. } = &self;
        let sql = format!("SELECT {id}, {} {tables} WHERE {conditions} ORDER BY {order}", columns.join(", "));
        read.walk(&sql, &self.params, &mut |row| {
            for check in &self.checks {
                if !check.holds(row)? {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            each(row)?;
            left = left.saturating_sub(1);
            Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    /// The whole search as a statement with our functions in it.
    pub(crate) fn select(&mut self) -> StoreResult<String> {
        let mut conditions = self.conditions.clone();
        for check in &self.checks {
            self.params.push(dialect::bound(check)?);
            conditions += &format!(" AND {}", dialect::condition(check, self.params.len()));
        }
        self.params.push(self.limit.into());
        let (Self { id, tables, order, .. }, limit) = (&self, self.params.len());
        Ok(format!("SELECT {id} {tables} WHERE {conditions} ORDER BY {order} LIMIT ?{limit}"))
    }
}

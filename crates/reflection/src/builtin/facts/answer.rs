//! The names in what a database answered about itself. Where it may be an answer about more or less than was asked for there are none.

use std::collections::HashSet;

use super::{bare, listing, rows::Rows};
use crate::builtin::{
    call::{schema::Question, sql::Statement},
    evidence::Evidence,
    steps::Step,
};

/// The names of the tables or the columns, each once.
pub(super) fn names(step: &Step, question: &Question, evidence: &Evidence) -> Vec<String> {
    match step.request.sql() {
        Some(statement) if statement.is_of_catalogue() => {
            Selected { statement, question, evidence, rows: Rows::read(&step.printed) }.names()
        }
        Some(statement) if statement.text().to_lowercase().starts_with("show create") => {
            let definition = step.printed.to_ascii_lowercase().find("create table");
            let text = definition.and_then(|at| step.printed.get(at..)).unwrap_or_default();
            // Rows as a program prints them have it on one line.
            listing::names(&text.replace("\\n", "\n"))
        }
        _ => listing::names(&step.printed),
    }
}

/// The rows that a SELECT took out of the catalogue.
struct Selected<'s, 'a> {
    statement: &'s Statement,
    question: &'s Question,
    evidence: &'s Evidence<'a>,
    rows: Rows,
}

impl Selected<'_, '_> {
    fn cells(&self, column: &str) -> Vec<Option<&str>> {
        self.rows.column(column, self.statement.place_of(column))
    }

    fn names(&self) -> Vec<String> {
        let names: Vec<String> = match self.question {
            Question::Tables { .. } => self.tables(),
            Question::Columns { of } => self.columns(bare(of)),
        };
        let different: HashSet<&String> = names.iter().collect();
        // A name that stands twice is of two tables.
        let is_list = different.len() == names.len() && names.iter().all(|name| listing::may_be_name(name));
        if is_list { names } else { Vec::new() }
    }

    fn tables(&self) -> Vec<String> {
        // Where the limit was reached there may be more.
        if self.statement.limit().is_some_and(|limit| self.rows.number() >= limit) {
            return Vec::new();
        }
        let columns = ["table_name", "tablename", "name"].map(|column| self.cells(column));
        let column = columns.into_iter().find(|column| column.iter().any(Option::is_some)).unwrap_or_default();
        let names = column.into_iter().flatten().filter(|name| !name.starts_with("sqlite_"));
        names.map(str::to_owned).collect()
    }

    /// Those of the rows about this table, in this database: another one on the same server may have a table of that name.
    fn columns(&self, table: &str) -> Vec<String> {
        let (tables, schemas) = (self.cells("table_name"), self.cells("table_schema"));
        let of = |cells: &[Option<&str>], at: usize| cells.get(at).copied().flatten().map(str::to_owned);
        let is_one_of_many = self.statement.text().to_lowercase().contains(" or ");
        let are_of_many = schemas.iter().any(|schema| Some(schema) != schemas.first());
        let is_meant = |at: usize| {
            let is_table = of(&tables, at).map_or(!is_one_of_many, |name| name.eq_ignore_ascii_case(table));
            let is_here = || of(&schemas, at).is_some_and(|schema| errors_name(self.evidence, &schema));
            is_table && (!are_of_many || is_here())
        };
        let names = self.cells("column_name").into_iter().enumerate();
        names.filter(|(at, _)| is_meant(*at)).filter_map(|(_, name)| name.map(str::to_owned)).collect()
    }
}

/// Whether an error of the run names this as the schema that it is in: "Table 'shop.orders' doesn't exist".
pub(super) fn errors_name(evidence: &Evidence, schema: &str) -> bool {
    let named = format!("'{}.", schema.to_lowercase());
    let mut failures = evidence.steps.iter().filter_map(Step::failure);
    failures.any(|failure| failure.error.to_lowercase().contains(&named))
}

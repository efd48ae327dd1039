//! Answers to a table or a column that does not exist: the database's own, or the name that a later statement showed that there is.

use super::{Fact, Found, Search, answer, bare, catalogue::Catalogue, missing::Kind, offers};
use crate::builtin::{
    call::{schema::is_of_catalogue, sql::Statement},
    outcome, reading, saying,
    steps::Step,
    words,
};

impl<'s, 'a> Search<'s, 'a> {
    /// Whether the run was shown what there is; then it is noted what of it answers this failure.
    pub(super) fn is_answered_by(&self, catalogue: &Catalogue, found: &mut Found) -> bool {
        found.has_missed_names = true;
        let is_answered = match self.missing.kind {
            Kind::Table => catalogue.has_tables(),
            _ => match self.column() {
                Some((table, _)) if catalogue.has_columns_of(table) => {
                    found.tables.push(table.to_owned());
                    // What was asked for may be elsewhere.
                    let other = self.statements().find(|(_, statement)| self.takes_its_place(statement));
                    let others = other.into_iter().flat_map(|(_, statement)| statement.tables());
                    let others = others.filter(|other| !self.is_asked(other) && catalogue.has_columns_of(other));
                    found.tables.extend(others.map(str::to_owned));
                    true
                }
                _ => false,
            },
        };
        if is_answered {
            found.explained.insert(self.attempts.first);
        }
        is_answered
    }

    /// The fact about a missing name, where the database was not asked what there is.
    pub(super) fn schema_fact(&self) -> Option<Fact> {
        // In these clauses a column of the table may only not be there yet, or not any more.
        let error = self.attempts.step.failure()?.error.to_lowercase();
        if self.has_turned_up()
            || ["on", "having", "order"].iter().any(|clause| error.contains(&format!("'{clause} clause'")))
        {
            return None;
        }
        if self.missing.kind == Kind::Table {
            let there_is = self.table_in_place().map(|table| format!("there is {}", words::code(&table, 80)));
            return Some(self.telling(None, self.missing.name, there_is, None));
        }
        let (table, column) = self.column()?;
        let there_is = self.column_in_place(table, column).map(|name| format!("there is {}", words::code(&name, 80)));
        let worked = if there_is.is_none() { self.last_that_worked(column) } else { None };
        Some(self.telling(Some(table.to_owned()), column, there_is, worked))
    }

    /// The table and the column that is missing in it.
    fn column(&self) -> Option<(&str, &str)> {
        self.attempts.step.request.sql()?.column(self.missing.name)
    }

    /// The later statements that worked and asked for something else than the schema.
    fn statements(&self) -> impl Iterator<Item = (&'s Step<'a>, &'s Statement)> {
        let tool = self.attempts.step.tool;
        let worked = self.later().filter(move |step| step.tool == tool && step.has_succeeded());
        let statements = worked.filter_map(|step| Some((step, step.request.sql()?)));
        statements.filter(|(_, statement)| statement.is_sql() && !is_about_schema(statement))
    }

    /// Whether a later statement used the name with success: then there is such a thing, or there came to be.
    fn has_turned_up(&self) -> bool {
        let name = self.missing.name;
        self.statements().any(|(_, statement)| match self.column() {
            Some((table, column)) if self.missing.kind == Kind::Column => {
                reading::names(&statement.text().replace('.', " "), column)
                    && statement.tables().contains(&table)
                    && statement.tables().len() == 1
            }
            _ => statement.tables().iter().any(|table| bare(table) == name),
        })
    }

    fn is_asked(&self, table: &str) -> bool {
        let failed = self.attempts.step.request.sql();
        failed.is_some_and(|failed| failed.tables().iter().any(|asked| asked.eq_ignore_ascii_case(table)))
    }

    /// Whether a statement asks a table for a column that another one had not, beside others.
    fn takes_its_place(&self, statement: &Statement) -> bool {
        let is_of_it = self.column().is_some_and(|(table, _)| statement.tables().contains(&table));
        is_of_it && statement.tables().iter().any(|table| !self.is_asked(table))
    }

    /// The table that a later statement asked in place of the missing one: one with a name much like it, else the first new one.
    fn table_in_place(&self) -> Option<String> {
        if is_of_catalogue(self.missing.name) {
            return None;
        }
        let new = |statement: &'s Statement| -> Vec<&'s str> {
            let tables = statement.tables().into_iter();
            tables.filter(|table| !self.is_asked(table) && !statement.makes_up(table)).collect()
        };
        let mut first = self.statements().map(|(_, statement)| new(statement)).find(|tables| !tables.is_empty())?;
        first.sort_by_key(|table| !is_like(bare(table), self.missing.name));
        let table = *first.first()?;
        // A database that the errors name is the one that the run is in.
        let is_here = table.rsplit_once('.').is_some_and(|(of, _)| answer::errors_name(self.evidence, of));
        Some(if is_here { bare(table) } else { table }.to_owned())
    }

    /// The column of the table that a later statement shows, where its name is much like that of the missing one.
    fn column_in_place(&self, table: &str, column: &str) -> Option<String> {
        let mut shown = self.statements().flat_map(|(_, statement)| statement.columns_of(table));
        shown.find(|name| is_like(name, column)).map(str::to_owned)
    }

    /// Of a run that passed the last statement with rows that asks the table for something and has not the missing name.
    fn last_that_worked(&self, column: &str) -> Option<String> {
        let (table, _) = self.column().filter(|_| self.evidence.has_passed)?;
        let (step, statement) = self.statements().last()?;
        let is_told = statement.tables().contains(&table)
            && outcome::has_rows(&step.printed)
            && !reading::names(&statement.text().replace('.', " "), column);
        is_told.then(|| format!("{} {}.", words::code(statement.text(), saying::QUOTE), saying::succeeded(step)))
    }
}

/// Whether a name is another spelling of a name, or one of them has all words of the other: `name` and `document_name`.
fn is_like(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let mut words = vec![String::new()];
        let mut before = ' ';
        for letter in name.chars() {
            if !letter.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
                word.extend(letter.to_lowercase());
            }
            before = letter;
        }
        words.retain(|word| !word.is_empty());
        words
    };
    let (first, second) = (words(one), words(other));
    let has_all = |some: &[String], all: &[String]| !some.is_empty() && some.iter().all(|word| all.contains(word));
    let is_same = first.concat() == second.concat();
    let is_spelled_alike = || offers::is_like(&one.to_lowercase(), &other.to_lowercase());
    one != other && (is_same || has_all(&first, &second) || has_all(&second, &first) || is_spelled_alike())
}

fn is_about_schema(statement: &Statement) -> bool {
    statement.lists_tables() || statement.describes().is_some() || statement.is_of_catalogue()
}

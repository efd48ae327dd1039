//! A statement of SQL: what it does, which tables it names, and how it is quoted.

use crate::builtin::{reading, words};

/// Words that a statement begins with; the first ones leave everything as it is.
const READS: &str = "select show desc describe pragma explain with values table";
const WRITES: &str = "insert update delete create alter drop replace truncate merge grant revoke use begin commit call";

/// A statement, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Statement(String);

/// Whether a text is SQL by its first words.
pub(super) fn is_sql(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let is_known = reading::lists(READS, &first) || reading::lists(WRITES, first.trim_end_matches(';'));
    is_known && words.next().is_some() && !text.trim_end().ends_with('?')
}

impl Statement {
    pub(super) fn new(text: String) -> Self {
        Self(text.trim().to_owned())
    }

    pub(in super::super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn key(&self) -> String {
        words::fold(self.0.trim_end_matches(';'), usize::MAX)
    }

    fn first_word(&self) -> String {
        self.0
            .split(|letter: char| !letter.is_alphanumeric())
            .find(|word| !word.is_empty())
            .unwrap_or_default()
            .to_lowercase()
    }

    pub(super) fn is_reading(&self) -> bool {
        self.0.starts_with(['\\', '.']) || reading::lists(READS, &self.first_word())
    }

    /// Whether it asks which tables there are.
    pub(in super::super) fn lists_tables(&self) -> bool {
        let small = self.0.to_lowercase();
        let bare = small.trim_end_matches([';', ' ']);
        bare.starts_with("show tables")
            || bare.starts_with("show full tables")
            || bare.starts_with(".tables")
            || matches!(bare, "\\dt" | "\\d" | "\\dt+" | "\\d+" | "\\dt *.*" | "\\dt public.*")
            || (small.contains("sqlite_master") || small.contains("sqlite_schema"))
            || (small.contains("information_schema.tables")
                || small.contains("pg_tables")
                || small.contains("pg_catalog"))
    }

    /// The table whose columns it asks for.
    pub(in super::super) fn describes(&self) -> Option<String> {
        let small = self.0.to_ascii_lowercase();
        let openings =
            ["describe ", "desc ", "show columns from ", "show columns in ", "show create table ", "\\d+ ", "\\d "];
        let openings = openings.into_iter().chain([".schema ", "pragma table_info", "pragma table_xinfo", "explain "]);
        let after =
            openings.filter(|opening| small.starts_with(opening)).find_map(|opening| self.0.get(opening.len()..));
        let catalogue = || small.contains("information_schema.columns").then(|| small.rfind("table_name")).flatten();
        let after = after.or_else(|| self.0.get(catalogue()? + "table_name".len()..)?.trim_start().strip_prefix('='));
        let name = after?.trim_start_matches([' ', '(', '\'', '"', '`', '=']);
        let end = name.find(|letter: char| !is_of_name(letter)).unwrap_or(name.len());
        name.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// The tables that it names after FROM, JOIN, INTO and UPDATE, without those it names itself.
    pub(in super::super) fn tables(&self) -> Vec<&str> {
        let mut tables: Vec<&str> = Vec::new();
        let mut is_next = false;
        let text = self.0.get(..end_of(&self.0, 4_000)).unwrap_or_default();
        for word in text.split(|letter: char| letter.is_whitespace() || "(),;".contains(letter)) {
            let bare = word.trim_matches(['"', '`', '\'', '[', ']']);
            if is_next && !bare.is_empty() {
                let is_name = bare.chars().all(is_of_name) && !bare.eq_ignore_ascii_case("select");
                if is_name && !tables.contains(&bare) {
                    tables.push(bare);
                }
                is_next = false;
            }
            is_next |= ["from", "join", "into", "update"].iter().any(|opening| word.eq_ignore_ascii_case(opening));
        }
        tables
    }

    /// What a statement of its kind looks like: `select … from sales_orders`. What it asks of the table is left out, since that was
    /// the task's. `None` where it is of another shape.
    pub(in super::super) fn outline(&self) -> Option<String> {
        let table = *self.tables().first()?;
        let small = self.0.to_ascii_lowercase();
        if !small.starts_with("select") {
            return None;
        }
        let select = self.0.get(.."select".len())?;
        let at = table.as_ptr() as usize - self.0.as_ptr() as usize;
        let before = small.get(..at)?;
        let from = before.rfind("from").or_else(|| before.rfind("join"))?;
        Some(format!("{select} … {}", self.0.get(from..at + table.len())?))
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "_.$".contains(letter)
}

/// The last place up to `limit` where a text may be cut.
fn end_of(text: &str, limit: usize) -> usize {
    (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> Statement {
        Statement::new(text.into())
    }

    #[test]
    fn tables_and_outlines_are_read() {
        let query =
            statement("SELECT a.x, count(*)\nFROM sales_orders AS a JOIN \"items\" i ON i.o = a.id WHERE a.x > 3");
        assert_eq!(query.tables(), ["sales_orders", "items"]);
        assert_eq!(query.outline().as_deref(), Some("SELECT … FROM sales_orders"));
        assert_eq!(statement("select 1").outline(), None);
        assert_eq!(statement("UPDATE a SET b = 1").tables(), ["a"]);
    }

    #[test]
    fn questions_about_the_schema_are_known() {
        for text in ["SHOW TABLES;", "\\dt", ".tables", "select name from sqlite_master where type = 'table'"] {
            assert!(statement(text).lists_tables(), "{text}");
        }
        let described = [
            ("DESC templates", "templates"),
            ("PRAGMA table_info('orders');", "orders"),
            ("\\d orders", "orders"),
            ("SELECT column_name FROM information_schema.columns WHERE table_name = 'orders'", "orders"),
        ];
        for (text, table) in described {
            assert_eq!(statement(text).describes().as_deref(), Some(table), "{text}");
        }
        assert_eq!(statement("select * from orders").describes(), None);
        assert!(is_sql("SELECT 1") && !is_sql("select") && !is_sql("Show me the money?") && !is_sql("ls -l"));
    }
}

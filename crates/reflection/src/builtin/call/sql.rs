//! A statement of SQL: what it does, which tables it names.

use crate::builtin::{reading, words};

/// Words that a statement begins with; the first ones leave everything as it is.
const READS: &str = "select show desc describe pragma explain with values table";
const WRITES: &str = "insert update delete create alter drop replace truncate merge grant revoke use begin commit call";

/// A statement, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Statement(pub(super) String);

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

    /// Whether it is one at all, and not words about it.
    pub(in super::super) fn is_sql(&self) -> bool {
        const OTHERS: &str = "set copy analyze vacuum refresh reindex rollback lock exec execute attach comment";
        self.0.starts_with(['\\', '.'])
            || reading::lists(OTHERS, &self.first_word())
            || (is_sql(&self.0) && self.0.matches('`').count().is_multiple_of(2))
    }

    /// Whether it gives rows.
    pub(in super::super) fn is_query(&self) -> bool {
        reading::lists("select with values", &self.first_word())
    }

    /// Whether a name is given by the statement itself, before a query in brackets: `WITH recent AS (…)`.
    pub(in super::super) fn makes_up(&self, name: &str) -> bool {
        let words: Vec<&str> = tokens(&self.0).collect();
        let is_query = |words: &[&str]| match words {
            [one, then, open] => *one == name && then.eq_ignore_ascii_case("as") && *open == "(",
            _ => false,
        };
        words.windows(3).any(is_query) || words.windows(2).any(|words| words == [name, "("])
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

    /// The tables that it names after FROM, JOIN, INTO and UPDATE, each once.
    pub(in super::super) fn tables(&self) -> Vec<&str> {
        const ENDS: &str = "where on using group order having limit set values union select inner left right full cross natural \
            returning window offset fetch default";
        let mut tables: Vec<&str> = Vec::new();
        let mut place = Place::Elsewhere;
        let (mut before, mut takes_from) = (String::new(), false);
        for token in tokens(self.0.get(..end_of(&self.0, 4_000)).unwrap_or_default()) {
            let small = token.to_lowercase();
            // `extract(year FROM placed_on)` names no table.
            takes_from |= token == "(" && reading::lists("extract trim substring overlay", &before);
            place = match (place, small.as_str()) {
                (_, "from") if std::mem::take(&mut takes_from) => Place::Elsewhere,
                (_, "from") => Place::BeforeTable { is_list: true },
                (_, "join" | "into" | "update") => Place::BeforeTable { is_list: false },
                (Place::AfterTable, ",") => Place::BeforeTable { is_list: true },
                (Place::BeforeTable { .. }, "only" | "ignore" | "lateral") => place,
                (Place::BeforeTable { is_list }, word) if token.starts_with(is_of_name) && word != "select" => {
                    if !tables.contains(&token) {
                        tables.push(token);
                    }
                    if is_list { Place::AfterTable } else { Place::Elsewhere }
                }
                (Place::BeforeTable { .. }, "\"" | "`" | "'" | "[") => place,
                (Place::AfterTable, word) if word != "(" && word != ";" && !reading::lists(ENDS, word) => place,
                _ => Place::Elsewhere,
            };
            before = small;
        }
        tables
    }

    /// The table that a column was asked of, and the column's own name; `None` where it may be of any of several, or of what a query
    /// inside of the statement gave.
    pub(in super::super) fn column<'n>(&'n self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let words = || self.0.split(|letter: char| !is_of_name(letter)).filter(|word| !word.is_empty());
        if words().filter(|word| word.eq_ignore_ascii_case("select")).count() > 1 {
            return None;
        }
        let tables = self.tables();
        match (name.rsplit_once('.'), tables.as_slice()) {
            (None, [table]) => Some((table, name)),
            (None, _) => None,
            (Some((owner, column)), tables) => {
                let is_table = tables.iter().find(|table| table.eq_ignore_ascii_case(owner));
                Some((is_table.copied().or_else(|| self.table_called(owner))?, column))
            }
        }
    }

    /// The table with this alias: `orders AS o`, `orders o`.
    fn table_called(&self, alias: &str) -> Option<&str> {
        let words: Vec<&str> =
            tokens(&self.0).take(1_000).filter(|token| !matches!(*token, "\"" | "`" | "'")).collect();
        let tables = self.tables();
        words.iter().enumerate().find_map(|(at, word)| {
            let before = |back: usize| words.get(at.checked_sub(back)?).copied();
            let is_named = before(1).is_some_and(|word| word.eq_ignore_ascii_case("as"));
            let table = if is_named { before(2) } else { before(1) }?;
            (word.eq_ignore_ascii_case(alias) && tables.contains(&table)).then_some(table)
        })
    }
}

/// Where in a statement a word stands.
#[derive(Clone, Copy)]
enum Place {
    BeforeTable {
        is_list: bool,
    },
    /// Among the names of a list that commas divide.
    AfterTable,
    Elsewhere,
}

/// The names and the other signs of a statement, one by one.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match is_of_name(first) {
            true => rest.find(|letter: char| !is_of_name(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

pub(super) fn is_of_name(letter: char) -> bool {
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
    fn tables_are_read() {
        let query =
            statement("SELECT a.x, count(*)\nFROM sales_orders AS a JOIN \"items\" i ON i.o = a.id WHERE a.x > 3");
        assert_eq!(query.tables(), ["sales_orders", "items"]);
        assert_eq!(statement("UPDATE a SET b = 1").tables(), ["a"]);
        assert_eq!(statement("SELECT extract(year FROM b) FROM a").tables(), ["a"]);
        assert_eq!(statement("SELECT x FROM a AS b, c d, e WHERE x IN (1, 2)").tables(), ["a", "c", "e"]);
        assert_eq!(statement("INSERT INTO a (b, c) VALUES (1, 2)").tables(), ["a"]);
    }

    #[test]
    fn the_table_of_a_column_is_found_where_it_can_be_only_one() {
        let query = statement("SELECT T1.name, o.id FROM orders AS T1 JOIN items o ON o.x = T1.y");
        assert_eq!(query.column("T1.name"), Some(("orders", "name")));
        assert_eq!(query.column("o.id"), Some(("items", "id")));
        assert_eq!(query.column("orders.id"), Some(("orders", "id")));
        assert_eq!((query.column("id"), query.column("T3.id")), (None, None));
        assert_eq!(statement("SELECT a.id FROM orders, a WHERE orders.x = a.y").column("a.id"), Some(("a", "id")));
        assert_eq!(statement("SELECT id FROM orders").column("id"), Some(("orders", "id")));
        assert_eq!(statement("SELECT id FROM (SELECT x FROM orders) a").column("id"), None);
    }

    #[test]
    fn statements_are_told_from_prose() {
        assert!(is_sql("SELECT 1") && !is_sql("select") && !is_sql("Show me the money?") && !is_sql("ls -l"));
    }
}

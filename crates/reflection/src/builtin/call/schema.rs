//! Questions of a statement to a database about itself: which tables there are, and which columns one of them has.

use super::sql::{Statement, is_of_name, tokens};
use crate::builtin::reading;

/// A question about the schema whose answer is one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Question {
    /// All tables, of a schema where it names one.
    Tables { of: Option<String> },
    /// The columns of a table, all or some.
    Columns { of: String },
}

/// The tables in which databases keep the list of their tables.
const TABLE_CATALOGUES: &str = "information_schema.tables pg_tables pg_catalog.pg_tables sqlite_master sqlite_schema";

/// Whether a name stands for one that was to be put in: `your_table_name`, `<table>`.
pub(in super::super) fn is_placeholder(name: &str) -> bool {
    const NAMES: &str = "table_name tablename column_name columnname database_name schema_name your_table your_column";
    let small = name.to_lowercase();
    let bare = small.rsplit('.').next().unwrap_or(&small);
    reading::lists(NAMES, bare) || (bare.starts_with("your_") && bare.ends_with("_name")) || bare.contains('<')
}

impl Statement {
    /// Whether it asks which tables there are.
    pub(in super::super) fn lists_tables(&self) -> bool {
        let small = self.text().to_lowercase();
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
        const OPENINGS: [&str; 13] = [
            "describe ",
            "desc ",
            "show columns from ",
            "show columns in ",
            "show full columns from ",
            "show fields from ",
            "show create table ",
            "\\d+ ",
            "\\d ",
            ".schema ",
            "pragma table_info",
            "pragma table_xinfo",
            "explain ",
        ];
        let small = self.text().to_ascii_lowercase();
        let mut openings = OPENINGS.into_iter().filter(|opening| small.starts_with(opening));
        let after = openings.find_map(|opening| self.text().get(opening.len()..));
        let catalogue = || small.contains("information_schema.columns").then(|| small.rfind("table_name")).flatten();
        let after =
            after.or_else(|| self.text().get(catalogue()? + "table_name".len()..)?.trim_start().strip_prefix('='));
        let name = after?.trim_start_matches([' ', '(', '\'', '"', '`', '=']);
        let end = name.find(|letter: char| !is_of_name(letter)).unwrap_or(name.len());
        name.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// Whether it asks the catalogue itself, with SELECT.
    pub(in super::super) fn is_of_catalogue(&self) -> bool {
        let tables = self.tables();
        !tables.is_empty() && tables.iter().all(|table| is_of_catalogue(table))
    }

    /// Its question, where it asks for all tables or for columns of one.
    pub(in super::super) fn question(&self) -> Option<Question> {
        const EXPLAINED: &str = "select insert update delete with analyze query verbose format extended replace table";
        let bare = self.text().trim_end_matches([';', ' ', '\n']);
        if bare.contains(';') || self.is_template() {
            return None;
        }
        let words: Vec<&str> = bare.split_whitespace().collect();
        let small: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let small: Vec<&str> = small.iter().map(String::as_str).collect();
        let of = |at: usize| words.get(at).map(|name| name.trim_matches(['`', '"']).to_owned());
        match small.as_slice() {
            [".tables" | "\\dt" | "\\d" | "\\dt+" | "\\d+"] | ["\\dt", "public.*"] => {
                return Some(Question::Tables { of: None });
            }
            ["show", "tables"] | ["show", "full", "tables"] => return Some(Question::Tables { of: None }),
            ["show", "tables", "from" | "in", _] => return Some(Question::Tables { of: of(3) }),
            _ => {}
        }
        if self.tables().iter().any(|table| reading::lists(TABLE_CATALOGUES, &table.to_lowercase())) {
            return self.asks_for_all_tables();
        }
        let of = self.describes().filter(|of| !reading::lists(EXPLAINED, &of.to_lowercase()))?;
        Some(Question::Columns { of })
    }

    /// Whether a SELECT from the catalogue gives all tables of a schema. One that asks for names like a word, or for views, does not.
    fn asks_for_all_tables(&self) -> Option<Question> {
        let small = self.text().to_ascii_lowercase();
        let is_sqlite = small.contains("sqlite_");
        let names_type = ["'table'", "\"table\"", "'base table'"].iter().any(|kind| small.contains(kind));
        let schema = ["table_schema", "schemaname"].into_iter().find_map(|name| Some((name, small.rfind(name)?)));
        let is_about_all = match is_sqlite {
            true => names_type,
            false => schema.is_some() && (names_type || !small.contains("'view'")),
        };
        if self.tables().len() != 1 || !is_about_all || self.leaves_some_out() {
            return None;
        }
        let of = schema.and_then(|(name, at)| {
            let value = self.text().get(at + name.len()..)?.trim_start().strip_prefix('=')?.trim_start();
            Some(value.strip_prefix('\'')?.split('\'').next()?.to_owned())
        });
        Some(Question::Tables { of })
    }

    /// Whether its conditions ask for more than a schema and a kind of table.
    fn leaves_some_out(&self) -> bool {
        const OTHERS: &str = "and in like ilike is null table_schema schemaname table_type type table_catalog database schema \
            current_schema current_database lower upper";
        let mut is_text = false;
        let mut tokens: Vec<String> = Vec::new();
        for token in tokens_after(self.text(), "where") {
            is_text ^= token == "'";
            if !is_text && token != "'" {
                tokens.push(token.rsplit('.').next().unwrap_or(token).to_lowercase());
            }
        }
        let conditions = tokens.split(|token| reading::lists("order limit group", token)).next().unwrap_or_default();
        let mut conditions = conditions.iter().peekable();
        while let Some(token) = conditions.next() {
            let is_word = token.starts_with(char::is_alphabetic);
            if !is_word || reading::lists(OTHERS, token) {
                continue;
            }
            let denied = conditions.peek().is_some_and(|next| reading::lists("not ! <", next));
            let is_name = reading::lists("table_name tablename name tbl_name", token);
            if token != "not" && !(is_name && denied) {
                return true;
            }
        }
        false
    }

    /// At most how many rows it asks for.
    pub(in super::super) fn limit(&self) -> Option<usize> {
        tokens_after(self.text(), "limit").next().map(|number| number.parse().unwrap_or_default())
    }

    /// At which place in the rows of its answer a column of the catalogue stands.
    pub(in super::super) fn place_of(&self, column: &str) -> Option<usize> {
        let text = self.text().to_lowercase();
        let (list, _) = text.strip_prefix("select")?.split_once("from")?;
        let items = items(list.trim().trim_start_matches("distinct "));
        let of_all = match column {
            "table_schema" => 1,
            "table_name" => 2,
            "column_name" => 3,
            "tablename" => 1,
            _ => 0,
        };
        if items.as_slice() == ["*"] {
            return Some(of_all);
        }
        items.iter().position(|item| {
            let word = item.split_whitespace().next().unwrap_or_default().trim_matches(['"', '`']);
            word.rsplit('.').next() == Some(column)
        })
    }

    /// Whether it has a name in it that was to be replaced by another: `DESCRIBE your_table_name`.
    pub(in super::super) fn is_template(&self) -> bool {
        let is_marked = |text: &str| {
            text.split_once('>').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|letter| letter.is_alphabetic() || letter == '_')
            })
        };
        self.tables().iter().any(|table| is_placeholder(table))
            || self.describes().is_some_and(|table| is_placeholder(&table))
            || self.text().split('<').skip(1).any(is_marked)
    }

    /// Whether it makes, changes or takes away tables.
    pub(in super::super) fn changes_schema(&self) -> bool {
        let first = self.text().split_whitespace().next().unwrap_or_default().to_lowercase();
        reading::lists("create alter drop rename", &first)
    }
}

/// Whether a table is one of the database's own.
pub(in super::super) fn is_of_catalogue(table: &str) -> bool {
    let small = table.to_lowercase();
    small.starts_with("information_schema") || small.starts_with("pg_") || small.starts_with("sqlite_")
}

/// The signs after the last time that a word stands in a text.
fn tokens_after<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    let at = text.to_ascii_lowercase().rfind(word).map_or(text.len(), |at| at + word.len());
    tokens(text.get(at..).unwrap_or_default())
}

/// The items of a list with commas, of which those in brackets belong to an item.
fn items(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = list.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> Statement {
        Statement::new(text.into())
    }

    fn tables(of: Option<&str>) -> Option<Question> {
        Some(Question::Tables { of: of.map(str::to_owned) })
    }

    #[test]
    fn questions_about_the_schema_are_known() {
        for text in ["SHOW TABLES;", "\\dt", ".tables", "select name from sqlite_master where type = 'table'"] {
            assert!(statement(text).lists_tables(), "{text}");
            assert_eq!(statement(text).question(), tables(None), "{text}");
        }
        let described = [
            ("DESC templates", "templates"),
            ("PRAGMA table_info('orders');", "orders"),
            ("\\d orders", "orders"),
            ("DESC `show`", "show"),
            ("SELECT column_name FROM information_schema.columns WHERE table_name = 'orders'", "orders"),
        ];
        for (text, table) in described {
            assert_eq!(statement(text).describes().as_deref(), Some(table), "{text}");
            assert_eq!(statement(text).question(), Some(Question::Columns { of: table.into() }), "{text}");
        }
        assert_eq!(statement("select * from orders").describes(), None);
        assert_eq!(statement("EXPLAIN SELECT 1 FROM a").question(), None);
    }

    #[test]
    fn only_a_question_for_all_tables_gives_their_list() {
        let all = [
            ("SELECT * FROM information_schema.tables WHERE table_schema = 'Shop'", Some("Shop")),
            ("SHOW TABLES IN `shop`", Some("shop")),
            (
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog')",
                None,
            ),
            ("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename", Some("public")),
            ("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name", None),
        ];
        for (text, of) in all {
            assert_eq!(statement(text).question(), tables(of), "{text}");
        }
        let some = [
            "SHOW TABLES LIKE 'a%'",
            "SELECT * FROM information_schema.tables WHERE table_name LIKE '%country%'",
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM information_schema.tables WHERE table_schema = 'a' AND table_name LIKE 'b%'",
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'a' OR table_name = 'b'",
            "SELECT name FROM sqlite_master",
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'a'",
        ];
        for text in some {
            assert_eq!(statement(text).question(), None, "{text}");
        }
    }

    #[test]
    fn a_column_of_the_catalogue_is_found_in_the_rows() {
        let query = statement("SELECT DISTINCT coalesce(a, b), c.column_name AS n FROM information_schema.columns c");
        assert_eq!((query.place_of("column_name"), query.place_of("table_name")), (Some(1), None));
        assert_eq!(statement("select * from information_schema.columns").place_of("column_name"), Some(3));
        assert_eq!(statement("SELECT COUNT(*) FROM information_schema.columns").place_of("column_name"), None);
        assert_eq!(statement("select * from information_schema.tables limit 10").limit(), Some(10));
    }

    #[test]
    fn a_name_to_be_filled_in_makes_a_template() {
        for text in ["DESCRIBE <table_name>", "SELECT * FROM your_table_name", "DESC table_name"] {
            assert!(statement(text).is_template(), "{text}");
        }
        for text in ["SELECT table_name FROM information_schema.tables", "SELECT a FROM b WHERE c < d AND e > 1"] {
            assert!(!statement(text).is_template(), "{text}");
        }
    }
}

//! The columns that a statement shows a table to have, if it worked.

use super::sql::{Statement, tokens};
use crate::builtin::reading;

/// Words before a column's name.
const BEFORE: &str =
    "select distinct where and or on having not in between like case when then else by , ( = < > + - * / ! set";

/// Words that are no names.
const WORDS: &str = "select distinct from where and or on having not in is null between like case when then else end by group order asc desc \
    limit offset join left right inner outer cross natural full as union all exists with over partition true false interval \
    current_date current_time current_timestamp localtime sysdate rownum rowid";

/// Parts of a date, which functions take as their first word.
const PARTS: &str = "year quarter month week day dow doy hour minute second epoch";

impl Statement {
    /// The names that can only be columns of this table, in their order. Names that the statement itself gives are left out.
    pub(in super::super) fn columns_of(&self, table: &str) -> Vec<&str> {
        let words = names_and_signs(self.text());
        let small: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let is_name = |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let before = |at: usize| at.checked_sub(1).and_then(|before| small.get(before)).map_or("", String::as_str);
        let names = || small.iter().enumerate().filter(|(_, word)| is_name(word) && !reading::lists(WORDS, word));
        let own: Vec<&String> =
            names().filter(|(at, _)| !reading::lists(BEFORE, before(*at))).map(|(_, word)| word).collect();
        let mut columns: Vec<&str> = Vec::new();
        for (at, word) in names() {
            // `count(…)`, `DATE '2024-01-01'`, `extract(year FROM …)`.
            let is_other = small.get(at + 1).is_some_and(|next| next == "(" || next == "'")
                || (before(at) == "(" && reading::lists(PARTS, word));
            let Some(name) = words.get(at).filter(|_| !is_other && !own.contains(&word)) else { continue };
            let Some((of, column)) = self.column(name) else { continue };
            if of.eq_ignore_ascii_case(table) && !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }
}

/// The words of a statement, of a quoted text only the quote that opens it, and without the quotes around names.
fn names_and_signs(text: &str) -> Vec<&str> {
    let mut is_text = false;
    let kept = tokens(text).filter(move |token| {
        let was_text = is_text;
        is_text ^= matches!(*token, "'" | "\"");
        !was_text && *token != "`"
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_from_the_names_that_a_statement_gives() {
        let columns = |text: &str, table: &str| -> Vec<String> {
            Statement::new(text.into()).columns_of(table).into_iter().map(str::to_owned).collect()
        };
        let query = "SELECT d.document_name, COUNT(*) AS number, max(p.x) top FROM documents AS d JOIN pages p ON d.id = p.doc_id \
                     WHERE d.kind = 'name' GROUP BY d.document_name ORDER BY number";
        assert_eq!(columns(query, "documents"), ["document_name", "id", "kind"]);
        assert_eq!(columns(query, "pages"), ["x", "doc_id"]);
        assert_eq!(columns("SELECT Name, `Age` FROM city WHERE Pop > 3", "city"), ["Name", "Age", "Pop"]);
        assert!(columns("SELECT x FROM a, b", "a").is_empty());
        assert_eq!(columns("SELECT extract(year FROM b) FROM a WHERE c > DATE '2024-01-01'", "a"), ["c"]);
    }
}

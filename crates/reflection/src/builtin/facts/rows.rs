//! The rows of an answer, as far as they are needed to take one column out of them.

use serde_json::Value;

/// A cell, with its column's name where the answer has one.
struct Cell {
    heading: Option<String>,
    text: String,
}

/// The rows of an answer.
pub(super) struct Rows(Vec<Vec<Cell>>);

impl Rows {
    pub(super) fn read(printed: &str) -> Self {
        let text = printed.trim();
        Self(match text {
            _ if text.starts_with("[(") || text.starts_with("((") => of_tuples(text),
            _ if text.starts_with(['[', '{']) => {
                serde_json::from_str(text).map(|value| of_json(&value)).unwrap_or_default()
            }
            _ => of_lines(text),
        })
    }

    pub(super) fn number(&self) -> usize {
        self.0.len()
    }

    /// The column of this name, where the answer has none the cells at this place; of rows that have neither nothing.
    pub(super) fn column(&self, name: &str, place: Option<usize>) -> Vec<Option<&str>> {
        let cell = |row: &'_ Vec<Cell>| {
            let by_name = row.iter().position(|cell| {
                cell.heading.as_deref().is_some_and(|heading| heading.trim().eq_ignore_ascii_case(name))
            });
            by_name.or(place)
        };
        self.0.iter().map(|row| Some(row.get(cell(row)?)?.text.as_str())).collect()
    }
}

fn bare(text: String) -> Cell {
    Cell { heading: None, text }
}

/// `[('a', 1), ('b', datetime.date(2023, 5, 1))]`.
fn of_tuples(text: &str) -> Vec<Vec<Cell>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for letter in text.chars() {
        let is_quoted = quote.is_some();
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '\'' | '"' if !is_quoted => quote = Some(letter),
            _ if quote == Some(letter) => quote = None,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    row.push(bare(std::mem::take(&mut cell)));
                    rows.push(std::mem::take(&mut row));
                }
            }
            ',' if !is_quoted && depth == 2 => row.push(bare(std::mem::take(&mut cell))),
            ' ' if !is_quoted => {}
            _ if depth >= 2 => cell.push(letter),
            _ => {}
        }
    }
    rows
}

fn of_json(value: &Value) -> Vec<Vec<Cell>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let row = |row: &Value| match row {
        Value::Array(cells) => cells.iter().map(|cell| bare(text(cell))).collect(),
        Value::Object(cells) => {
            cells.iter().map(|(heading, cell)| Cell { heading: Some(heading.clone()), text: text(cell) }).collect()
        }
        other => vec![bare(text(other))],
    };
    match value {
        Value::Array(rows) => rows.iter().map(row).collect(),
        Value::Object(fields) => {
            let rows = fields.get("rows").filter(|rows| rows.is_array());
            rows.or_else(|| fields.values().find(|value| value.is_array())).map(of_json).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Lines with bars or tabs between their cells. The first has the headings where a rule follows on it or the client divides by tabs.
fn of_lines(text: &str) -> Vec<Vec<Cell>> {
    let is_rule = |line: &str| line.contains('-') && line.chars().all(|letter| "+-| =:".contains(letter));
    let is_footer = |line: &str| line.starts_with('(') && line.ends_with("rows)") || line.ends_with("row)");
    let all: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_footer(line)).collect();
    let has_bars = all.iter().any(|line| line.contains('|'));
    let has_rules = all.iter().any(|line| is_rule(line));
    let lines = all.iter().filter(|line| !is_rule(line) && (!has_bars || line.contains('|')));
    let mut rows: Vec<Vec<String>> = lines
        .map(|line| {
            let line = line.trim_start_matches('|').trim_end_matches('|');
            line.split(if has_bars { '|' } else { '\t' }).map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    let headings = if !rows.is_empty() && (has_rules || !has_bars) { rows.remove(0) } else { Vec::new() };
    let cell = |(at, text)| Cell { heading: headings.get(at).cloned(), text };
    rows.into_iter().map(|row| row.into_iter().enumerate().map(cell).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_taken_by_its_name_or_its_place() {
        let cases = [
            "[('def', 'a, b', 'orders', datetime.date(2023, 5, 1)), ('def', 'x', 'items', None)]",
            r#"[{"table_schema": "public", "TABLE_NAME": "orders"}, {"table_schema": "public", "TABLE_NAME": "items"}]"#,
            r#"{"columns": ["a"], "rows": [["def", "x", "orders"], ["def", "x", "items"]]}"#,
            "+---+------------+\n| a | table_name |\n+---+------------+\n| 1 | orders |\n| 2 | items |\n+---+---+",
            " table_name \n------------\n orders\n items\n(2 rows)",
            "table_schema\ttable_name\nx\torders\nx\titems",
        ];
        for printed in cases {
            assert_eq!(Rows::read(printed).column("table_name", Some(2)), [Some("orders"), Some("items")], "{printed}");
        }
        assert_eq!(Rows::read("[('a',)]").column("table_name", None), [None]);
        assert_eq!(Rows::read("[]").number(), 0);
    }
}

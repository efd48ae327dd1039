//! The names in what a database answers about itself: lists of tables, descriptions of a table.

use serde_json::Value;

/// A longer answer is no list of names that somebody would read.
const LONG: usize = 200_000;

/// More names than these are not collected.
const NAMES: usize = 400;

/// Headings of the column that holds the names.
const HEADINGS: [&str; 6] = ["name", "table_name", "column_name", "field", "column", "tablename"];

/// The names, each once, in their order. Empty where the answer has a form that is not known.
pub(super) fn names(printed: &str) -> Vec<String> {
    let text = printed.trim();
    if text.len() > LONG {
        return Vec::new();
    }
    let found = match text {
        _ if text.starts_with("[(") || text.starts_with("((") => of_tuples(text),
        _ if text.starts_with(['[', '{']) => {
            serde_json::from_str(text).map(|value| of_json(&value)).unwrap_or_default()
        }
        _ if starts_with_create(text) => of_definition(text),
        _ if text.lines().any(|line| line.contains('|')) => of_grid(text),
        _ => of_lines(text),
    };
    let mut names: Vec<String> = Vec::new();
    for name in found {
        let name = name.trim().trim_matches(['"', '\'', '`']).to_owned();
        if may_be_name(&name) && !names.contains(&name) && names.len() < NAMES {
            names.push(name);
        }
    }
    names
}

/// Whether a cell may be a name: some have spaces and brackets in them.
pub(super) fn may_be_name(text: &str) -> bool {
    text.len() <= 64
        && text.chars().any(char::is_alphabetic)
        && !text.contains(|letter: char| letter.is_control() || "`'\"{}[];|".contains(letter))
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.chars().all(|letter| letter.is_alphanumeric() || "_.$-".contains(letter))
        && text.chars().any(char::is_alphabetic)
}

fn is_heading(text: &str) -> bool {
    let small = text.trim().to_lowercase();
    HEADINGS.contains(&small.as_str()) || small.starts_with("tables_in_")
}

/// `[('orders',), ('items',)]`: of each row the first text that is not the same in all of them. A catalogue's rows begin with where the table is.
fn of_tuples(text: &str) -> Vec<String> {
    let inner = text.trim_matches(['[', ']', '(', ')']);
    let rows: Vec<Vec<&str>> = inner.split("), (").map(quoted).filter(|texts| !texts.is_empty()).collect();
    let Some((first, others)) = rows.split_first() else { return Vec::new() };
    let tells = |column: &usize| others.iter().any(|row| row.get(*column) != first.get(*column));
    let column = (0..first.len()).find(tells).unwrap_or(if first.first() == Some(&"def") { 2 } else { 0 });
    rows.iter().filter_map(|row| row.get(column)).map(|name| (*name).to_owned()).collect()
}

/// The texts of a row.
fn quoted(row: &str) -> Vec<&str> {
    let (mut texts, mut rest) = (Vec::new(), row);
    while let Some((before, after)) = rest.split_once(['\'', '"']) {
        let quote = rest.get(before.len()..).and_then(|quoted| quoted.chars().next()).unwrap_or('\'');
        let Some((text, next)) = after.split_once(quote) else { break };
        texts.push(text);
        rest = next;
    }
    texts
}

fn of_json(value: &Value) -> Vec<String> {
    match value {
        Value::Array(rows) => rows.iter().filter_map(name_of_row).collect(),
        Value::Object(fields) => fields.values().find(|value| value.is_array()).map(of_json).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn name_of_row(row: &Value) -> Option<String> {
    let text = match row {
        Value::String(name) => Some(name.as_str()),
        Value::Array(cells) => cells.iter().find_map(Value::as_str),
        Value::Object(cells) => {
            let named = cells.iter().find(|(heading, cell)| is_heading(heading) && cell.is_string());
            named.map(|(_, cell)| cell).or_else(|| cells.values().find(|cell| cell.is_string())).and_then(Value::as_str)
        }
        _ => None,
    };
    text.map(str::to_owned)
}

fn starts_with_create(text: &str) -> bool {
    text.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("create table"))
}

/// The tables of several definitions, the columns of a single one.
fn of_definition(text: &str) -> Vec<String> {
    let is_create = |line: &&str| starts_with_create(line.trim_start());
    let tables: Vec<&str> = text.lines().filter(is_create).collect();
    if tables.len() > 1 {
        let name = |line: &str| line.split(['(', ' ']).filter(|word| !word.is_empty()).nth(2).map(str::to_owned);
        return tables.into_iter().filter_map(name).collect();
    }
    let Some((_, inside)) = text.split_once('(') else { return Vec::new() };
    const CONSTRAINTS: [&str; 6] = ["primary", "foreign", "unique", "constraint", "check", "key"];
    let lines = inside
        .split('\n')
        .flat_map(|line| if line.matches(',').count() > 1 { line.split(", ").collect() } else { vec![line] });
    let first = lines.filter_map(|line| line.trim().split([' ', '\t', '(']).next().map(str::to_owned));
    first.filter(|word| !CONSTRAINTS.contains(&word.to_lowercase().as_str()) && !word.starts_with(')')).collect()
}

/// Rows with bars between their cells, as clients print them.
fn of_grid(text: &str) -> Vec<String> {
    let is_rule = |line: &str| line.chars().all(|letter| "+-| =:".contains(letter));
    // `\d` lists what counts up the ids as well.
    let is_sequence = |line: &str| line.split('|').any(|cell| cell.trim() == "sequence");
    let rows = text.lines().filter(|line| line.contains('|') && !is_rule(line) && !is_sequence(line));
    let mut rows: Vec<Vec<&str>> = rows
        .map(|line| line.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect())
        .collect();
    let heading = rows.first().and_then(|first| first.iter().position(|cell| is_heading(cell)));
    let is_numbered = rows.iter().all(|row| row.first().is_some_and(|cell| cell.parse::<u64>().is_ok()));
    if heading.is_some() {
        rows.remove(0);
    }
    let column = heading.unwrap_or(usize::from(is_numbered));
    rows.iter().filter_map(|row| row.get(column).map(|cell| (*cell).to_owned())).collect()
}

/// One name a line or several with spaces between them; rows with tabs; `id int, name text`.
fn of_lines(text: &str) -> Vec<String> {
    let is_of_client = |line: &str| line.chars().all(|letter| letter == '-') || line.ends_with(" rows)");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_of_client(line)).collect();
    if let [line] = lines.as_slice()
        && line.contains(',')
        && !line.ends_with(['.', '!', '?'])
    {
        let line = line.split_once(": ").map_or(*line, |(_, list)| list);
        return line
            .split(',')
            .filter_map(|part| part.split([' ', ':', '(']).find(|word| !word.is_empty()))
            .map(str::to_owned)
            .collect();
    }
    let is_row = lines.iter().any(|line| line.contains('\t'));
    let lines = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| *at > 0 || !is_heading(line.split('\t').next().unwrap_or_default()));
    let lines: Vec<&str> = lines.map(|(_, line)| *line).collect();
    match is_row {
        true => lines.iter().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect(),
        false => {
            let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            // Prose is no list.
            if words.iter().all(|word| is_name(word)) && words.len() <= NAMES {
                words.into_iter().map(str::to_owned).collect()
            } else {
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_what_clients_print() {
        let cases = [
            ("[('documents',), ('templates',)]", vec!["documents", "templates"]),
            ("[('Template_ID', 'int', 'NO'), ('Name', 'text', 'YES')]", vec!["Template_ID", "Name"]),
            ("[('def', 'shop', 'orders', 'TABLE'), ('def', 'shop', 'items', 'VIEW')]", vec!["orders", "items"]),
            ("[('def', 'shop', 'orders', 'TABLE', 10)]", vec!["orders"]),
            ("[('id', 'char(3)', 'NO'), ('name', 'char(52)', 'NO')]", vec!["id", "name"]),
            ("[(0, 'id', 'INTEGER', 0), (1, 'name', 'TEXT', 0)]", vec!["id", "name"]),
            (r#"["a", "b"]"#, vec!["a", "b"]),
            (r#"{"tables": [{"name": "a"}, {"name": "b"}]}"#, vec!["a", "b"]),
            (r#"[{"Field": "id", "Type": "int"}]"#, vec!["id"]),
            (
                "+----------------+\n| Tables_in_shop |\n+----------------+\n| orders |\n| items |\n+---+",
                vec!["orders", "items"],
            ),
            ("Tables_in_shop\norders\nitems", vec!["orders", "items"]),
            (
                "           List of relations\n Schema |     Name     | Type  | Owner\n--------+--------------+-------+-------\n public | sales_orders | table | app\n public | items | table | app\n(2 rows)",
                vec!["sales_orders", "items"],
            ),
            ("0|id|INTEGER|0||1\n1|name|TEXT|0||0", vec!["id", "name"]),
            ("artists   albums\ntracks", vec!["artists", "albums", "tracks"]),
            ("id int, customer text, status text", vec!["id", "customer", "status"]),
            ("CREATE TABLE a (\n  id INTEGER,\n  name TEXT,\n  PRIMARY KEY (id)\n);", vec!["id", "name"]),
            ("CREATE TABLE a (id INTEGER);\nCREATE TABLE b (id INTEGER);", vec!["a", "b"]),
        ];
        for (printed, wanted) in cases {
            assert_eq!(names(printed), wanted, "{printed}");
        }
        for nothing in ["", "There are no tables here, sorry!", "[", "{}"] {
            assert!(names(nothing).is_empty(), "{nothing}");
        }
    }
}

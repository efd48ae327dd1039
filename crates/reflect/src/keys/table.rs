//! Keys in columns.

use reflect_api::KeyAnswer;
use reflect_core::{Scope, Timestamp};

const TITLES: [&str; 7] = ["PUBLIC ID", "LABEL", "STATUS", "LAST USED", "EXPIRES", "CREATED", "SCOPES"];

/// Keys, a line each under a line of titles.
pub(super) fn write(keys: &[KeyAnswer]) -> String {
    let mut rows = vec![TITLES.map(str::to_owned)];
    rows.extend(keys.iter().map(row));
    let mut widths = [0; TITLES.len()];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; TITLES.len()]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(key: &KeyAnswer) -> [String; TITLES.len()] {
    let time = |time: Option<Timestamp>, none: &str| time.map_or_else(|| none.to_owned(), minute);
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    [
        key.public_id.clone(),
        // A label is anybody's text.
        key.label.chars().filter(|character| !character.is_control()).collect(),
        key.status.as_str().to_owned(),
        time(key.last_used_at, "never"),
        time(key.expires_at, "never"),
        minute(key.created_at),
        if key.scopes.len() == Scope::ALL.len() { "all".to_owned() } else { scopes.join(" ") },
    ]
}

/// A time to the minute, such as `2026-11-16 08:30`.
fn minute(time: Timestamp) -> String {
    time.to_string().chars().take(16).map(|character| if character == 'T' { ' ' } else { character }).collect()
}

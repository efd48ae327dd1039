//! The last resort: replies that answer in `key: value` lines, as YAML or as headings.

use serde_json::{Map, Value};

use super::{coerce::without_bullet, fit::same_name};
use crate::{Kind, Shape, ShapeKey};

/// Reads the known keys from lines that begin with them. A key in the middle of a sentence is not read.
pub(super) fn read_lines(text: &str, shape: &Shape) -> Map<String, Value> {
    let mut found: Vec<(&ShapeKey, Vec<String>)> = Vec::new();
    let mut current: Option<usize> = None;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with("```") || line.starts_with("~~~") {
            continue;
        }
        if let Some((key, rest)) = label(line, shape) {
            found.retain(|(known, _)| known.name != key.name);
            found.push((key, Vec::new()));
            current = Some(found.len() - 1);
            push(&mut found, current, rest);
        } else if line.starts_with('#') {
            current = None;
        } else {
            push(&mut found, current, line);
        }
    }
    let value = |kind: Kind, lines: Vec<String>| match kind {
        Kind::TextList => Value::Array(lines.into_iter().map(Value::String).collect()),
        _ => Value::String(lines.join("\n")),
    };
    found.into_iter().map(|(key, lines)| (key.name.clone(), value(key.kind, lines))).collect()
}

fn push(found: &mut [(&ShapeKey, Vec<String>)], current: Option<usize>, line: &str) {
    let Some((_, lines)) = current.and_then(|current| found.get_mut(current)) else { return };
    let line = without_bullet(line).unwrap_or(line);
    let line = line.trim().trim_start_matches("**").trim();
    let quoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let line = quoted.unwrap_or(line);
    // `|` and `>` announce a block in YAML.
    if !line.is_empty() && line != "|" && line != ">" {
        lines.push(line.to_owned());
    }
}

/// The known key that a line begins with, and what follows it.
fn label<'a, 'b>(line: &'a str, shape: &'b Shape) -> Option<(&'b ShapeKey, &'a str)> {
    let heading = line.starts_with('#');
    let line = without_bullet(line).unwrap_or(line).trim_start_matches('#').trim();
    let (name, rest) = match line.find([':', '：']) {
        Some(at) => (line.get(..at)?, line.get(at..)?.trim_start_matches([':', '：'])),
        None if heading => (line, ""),
        None => return None,
    };
    let name = name
        .trim_matches(|character: char| matches!(character, '*' | '_' | '"' | '\'' | '`') || character.is_whitespace());
    let key = shape.keys().iter().find(|key| same_name(name, &key.name))?;
    Some((key, rest.trim_start_matches("**").trim()))
}

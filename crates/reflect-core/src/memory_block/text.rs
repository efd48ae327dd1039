//! A text on its way into the block.

use crate::is_invisible;

/// What stands before a text's second line and every later one: a line of a lesson is no heading, no role and no end of the block.
const INDENT: &str = "    ";

/// What somebody may take for the end of a line, beside the line break.
const BREAKS: [char; 6] = ['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'];

/// What a text ends with that was cut.
pub(super) const CUT: &str = " […]";

/// The text without blanks around it, empty lines and what nobody sees, its later lines indented, and escaped.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(BREAKS, "\n");
    let lines = text.split('\n').map(escape).filter(|line| !line.trim().is_empty());
    let mut plain = String::with_capacity(text.len());
    for line in lines {
        match plain.is_empty() {
            true => plain.push_str(line.trim()),
            false => plain.extend(["\n", INDENT, line.trim_end()]),
        }
    }
    plain
}

/// The text with `&`, `<`, `>` and `"` written as entities, and without control characters other than line breaks and tabs and
/// without what nobody sees: fit for a tag's content or an attribute's value, which it cannot leave.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            hidden if hidden.is_control() || is_invisible(hidden) => {}
            other => escaped.push(other),
        }
    }
    escaped
}

/// An escaped text of at most `limit` characters, marked where it was cut, and never cut inside an entity.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let room = limit.saturating_sub(CUT.chars().count());
    let kept = text.char_indices().nth(room).map_or(text, |(end, _)| text.split_at(end).0);
    let kept = match kept.rsplit_once('&') {
        Some((before, entity)) if !entity.contains(';') => before,
        _ => kept,
    };
    format!("{}{CUT}", kept.trim_end())
}

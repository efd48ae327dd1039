//! A model's text, made fit to be stored and shown.

use reflect_core::is_invisible;

/// The most characters of one field of a lesson.
const LIMIT: usize = 1_200;

/// The text without control and hidden characters, with at most one line break in a row, trimmed and shortened.
pub(super) fn text(text: &str) -> String {
    let mut kept = String::with_capacity(text.len().min(LIMIT * 4));
    for line in text.lines().map(|line| line.chars().filter(|character| !is_unwanted(*character)).collect::<String>()) {
        let line = line.trim();
        if !line.is_empty() {
            if !kept.is_empty() {
                kept.push('\n');
            }
            kept.push_str(line);
        }
    }
    crate::plain::shortened(&kept, LIMIT)
}

/// Control characters, and what nobody sees.
fn is_unwanted(character: char) -> bool {
    (character.is_control() && character != '\t') || is_invisible(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_and_empty_lines_go() {
        assert_eq!(text(" a\u{0}b\u{202E}\r\n\n\n  c\u{200B} \n"), "ab\nc");
        assert_eq!(text(""), "");
        assert_eq!(text(&"é".repeat(5_000)).chars().count(), LIMIT);
    }
}

//! Words of others on a terminal.

/// A text on one line: words of others, such as a provider's or a lesson's, must neither draw lines of their own nor steer the terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

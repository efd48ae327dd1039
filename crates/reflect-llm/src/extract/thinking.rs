//! The tags that models think between.

use super::cursor::Cursor;

/// Names of tags written `<name>`.
const NAMES: &[&str] = &["think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "inner_monologue"];

/// Other pairs of marks.
const PAIRS: &[(&str, &str)] = &[
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// The most that the attributes of a tag may take.
const LONGEST_ATTRIBUTES: usize = 100;

/// What a mark does.
pub(super) enum Mark {
    /// Thinking starts; it ends behind these words.
    Opens(String),
    /// Thinking that began before the reply did ends here.
    Closes,
}

/// Whether a byte may start a mark: cheap to ask at every byte.
pub(super) fn may_start(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | 0xe2)
}

/// Passes the mark that is here, if one is.
pub(super) fn pass_mark(cursor: &mut Cursor<'_>) -> Option<Mark> {
    for (open, close) in PAIRS {
        if cursor.sees(open) {
            cursor.bump(open.len());
            return Some(Mark::Opens((*close).to_owned()));
        }
        if cursor.sees(close) {
            cursor.bump(close.len());
            return Some(Mark::Closes);
        }
    }
    if cursor.peek()? != b'<' {
        return None;
    }
    let start = cursor.at();
    let closes = cursor.look(start + 1) == Some(b'/');
    cursor.bump(if closes { 2 } else { 1 });
    if !cursor.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        cursor.rewind(start);
        return None;
    }
    let name = NAMES.iter().find(|name| {
        let after = cursor.at() + name.len();
        cursor.sees_any_case(name) && matches!(cursor.look(after), Some(b'>' | b' '))
    });
    if let Some(name) = name {
        cursor.bump(name.len());
        if pass_attributes(cursor) {
            return Some(if closes { Mark::Closes } else { Mark::Opens(format!("</{name}>")) });
        }
    }
    cursor.rewind(start);
    None
}

fn pass_attributes(cursor: &mut Cursor<'_>) -> bool {
    for _ in 0..LONGEST_ATTRIBUTES {
        match cursor.peek() {
            Some(b'>') => {
                cursor.bump(1);
                return true;
            }
            None | Some(b'<' | b'\n' | b'{') => return false,
            Some(_) => cursor.bump(1),
        }
    }
    false
}

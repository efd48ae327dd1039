//! Backslashes inside texts.

use super::{cursor::Cursor, notes::Notes};
use crate::ParseNote;

/// Reads the escape that starts here. False when the reply ended inside it.
pub(super) fn read_escape(cursor: &mut Cursor<'_>, text: &mut String, notes: &mut Notes) -> bool {
    cursor.bump(1);
    let Some(byte) = cursor.peek() else { return false };
    let plain = match byte {
        b'"' | b'\\' | b'/' => char::from(byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_unicode(cursor, text, notes),
        b'\'' => {
            notes.add(ParseNote::Escapes);
            '\''
        }
        // JSON has no such escape: most often it is a regular expression or a path, so the backslash is meant.
        _ => {
            notes.add(ParseNote::Escapes);
            text.push('\\');
            return true;
        }
    };
    text.push(plain);
    cursor.bump(1);
    true
}

fn read_unicode(cursor: &mut Cursor<'_>, text: &mut String, notes: &mut Notes) -> bool {
    let Some(first) = read_hex(cursor) else {
        if cursor.is_at_end() {
            return false;
        }
        notes.add(ParseNote::Escapes);
        text.push_str("\\u");
        return true;
    };
    if !(0xd800..0xdc00).contains(&first) {
        text.push(character_or_replacement(first, notes));
        return true;
    }
    let back = cursor.at();
    if cursor.sees("\\u") {
        cursor.bump(1);
        match read_hex(cursor) {
            Some(second) if (0xdc00..0xe000).contains(&second) => {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                text.push(character_or_replacement(code, notes));
                return true;
            }
            // Six bytes at most, read once more as an escape of their own.
            _ => cursor.go_back(back),
        }
    }
    notes.add(ParseNote::Escapes);
    text.push(char::REPLACEMENT_CHARACTER);
    true
}

/// Four hexadecimal digits behind the `u` that is here. Without them only the `u` is passed, unless the reply ends in them.
fn read_hex(cursor: &mut Cursor<'_>) -> Option<u32> {
    cursor.bump(1);
    let start = cursor.at();
    let mut code = 0;
    for _ in 0..4 {
        let Some(digit) = cursor.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
            if !cursor.is_at_end() {
                cursor.go_back(start);
            }
            return None;
        };
        code = code * 16 + digit;
        cursor.bump(1);
    }
    Some(code)
}

fn character_or_replacement(code: u32, notes: &mut Notes) -> char {
    char::from_u32(code).unwrap_or_else(|| {
        notes.add(ParseNote::Escapes);
        char::REPLACEMENT_CHARACTER
    })
}

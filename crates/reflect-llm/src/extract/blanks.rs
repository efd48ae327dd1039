//! What stands between the parts of an object and means nothing.

use super::{cursor::Cursor, notes::Notes};
use crate::ParseNote;

/// Blanks that JSON does not know and that editors and models put in.
const ODD_BLANKS: &[&str] = &["\u{a0}", "\u{3000}", "\u{feff}", "\u{200b}", "\u{2009}", "\u{202f}", "\u{2028}"];

/// Passes blanks, comments, and dots that stand for "more of the same".
pub(super) fn skip_blanks(cursor: &mut Cursor<'_>, notes: &mut Notes) {
    loop {
        match cursor.peek() {
            Some(b' ' | b'\t' | b'\n' | b'\r') => cursor.bump(1),
            Some(b'#') => skip_line_comment(cursor, notes),
            Some(b'/') if cursor.sees("//") => skip_line_comment(cursor, notes),
            Some(b'/') if cursor.sees("/*") => {
                notes.add(ParseNote::Comments);
                if !cursor.skip_past("*/") {
                    cursor.take_while(|_| true);
                }
            }
            Some(b'.') if cursor.sees("...") => {
                notes.add(ParseNote::Comments);
                cursor.bump(3);
            }
            Some(0xe2) if cursor.sees("…") => {
                notes.add(ParseNote::Comments);
                cursor.bump("…".len());
            }
            Some(0xc2 | 0xe2 | 0xe3 | 0xef) => {
                let Some(blank) = ODD_BLANKS.iter().find(|blank| cursor.sees(blank)) else { return };
                notes.add(ParseNote::Escapes);
                cursor.bump(blank.len());
            }
            _ => return,
        }
    }
}

fn skip_line_comment(cursor: &mut Cursor<'_>, notes: &mut Notes) {
    notes.add(ParseNote::Comments);
    cursor.take_while(|byte| byte != b'\n');
}

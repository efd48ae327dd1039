//! Texts in quotes: JSON's own, and those that models write instead.

use super::{cursor::Cursor, escapes::read_escape, notes::Notes};
use crate::ParseNote;

/// Which quotes a text is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    open: &'static str,
    close: &'static [&'static str],
}

const DOUBLE: Quote = Quote { open: "\"", close: &["\""] };

const QUOTES: &[Quote] = &[
    Quote { open: "\"\"\"", close: &["\"\"\""] },
    DOUBLE,
    Quote { open: "'''", close: &["'''"] },
    Quote { open: "'", close: &["'"] },
    Quote { open: "“", close: &["”", "“"] },
    Quote { open: "”", close: &["”", "“"] },
    Quote { open: "„", close: &["“", "”"] },
    Quote { open: "‘", close: &["’", "‘"] },
    Quote { open: "«", close: &["»"] },
];

/// Where a text stands, which decides what may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Key,
    ValueOfObject,
    ItemOfArray,
}

/// A text as it was read.
pub(super) struct Quoted {
    pub(super) text: String,
    /// False when the reply ended first.
    pub(super) closed: bool,
}

/// The quotes that open here, if any.
pub(super) fn opening_quote(cursor: &mut Cursor<'_>) -> Option<Quote> {
    let first = cursor.peek()?;
    if !matches!(first, b'"' | b'\'' | 0xe2 | 0xc2) {
        return None;
    }
    // An empty text is not the start of three quotes: what follows it tells.
    let found = QUOTES.iter().copied().find(|quote| cursor.sees(quote.open))?;
    let at = cursor.at();
    if found.open == "\"\"\"" && matches!(cursor.look(at + 3), Some(b',' | b'}' | b']' | b':')) {
        return Some(DOUBLE);
    }
    Some(found)
}

/// Reads a text whose opening quote is here.
///
/// A quote inside it that nothing fitting follows was not escaped, and is taken as a part of the text. In valid JSON something
/// fitting always follows, so valid texts are read exactly.
pub(super) fn read_quoted(cursor: &mut Cursor<'_>, quote: Quote, position: Position, notes: &mut Notes) -> Quoted {
    cursor.bump(quote.open.len());
    if quote.open != "\"" {
        notes.add(ParseNote::Quotes);
    }
    let mut text = String::new();
    loop {
        let start = cursor.at();
        let first_of_close = |byte: u8| quote.close.iter().any(|close| close.as_bytes().first() == Some(&byte));
        cursor.take_while(|byte| byte != b'\\' && byte >= 0x20 && !first_of_close(byte));
        text.push_str(cursor.since(start));
        match cursor.peek() {
            None => return Quoted { text, closed: false },
            Some(b'\\') => {
                if !read_escape(cursor, &mut text, notes) {
                    return Quoted { text, closed: false };
                }
            }
            Some(byte) if byte < 0x20 => {
                if byte == b'\n' && position != Position::Key && next_line_is_a_key(cursor) {
                    notes.add(ParseNote::Quotes);
                    let kept = text.trim_end().trim_end_matches(',').len();
                    text.truncate(kept);
                    return Quoted { text, closed: true };
                }
                notes.add(ParseNote::Escapes);
                text.push(char::from(byte));
                cursor.bump(1);
            }
            Some(_) => {
                let close = quote.close.iter().find(|close| cursor.sees(close));
                if let Some(close) = close
                    && ends_here(cursor, close.len(), position)
                {
                    cursor.bump(close.len());
                    return Quoted { text, closed: true };
                }
                if close.is_some() {
                    notes.add(ParseNote::Quotes);
                }
                push_character(cursor, &mut text);
            }
        }
    }
}

fn push_character(cursor: &mut Cursor<'_>, text: &mut String) {
    let Some(character) = cursor.character() else { return };
    text.push(character);
    cursor.bump(character.len_utf8());
}

/// Whether what follows a closing quote fits its position.
fn ends_here(cursor: &mut Cursor<'_>, quote_length: usize, position: Position) -> bool {
    if position == Position::Key {
        return true;
    }
    let after_quote = cursor.at() + quote_length;
    let at = cursor.after_blanks(after_quote);
    match cursor.look(at) {
        None | Some(b'\n' | b'\r' | b'}' | b']' | b';' | b'#') => true,
        Some(b',') => comma_goes_on(cursor, at + 1, position),
        Some(b'/') => matches!(cursor.look(at + 1), Some(b'/' | b'*')),
        Some(0xef) => cursor.sees_at(at, "，"),
        Some(0xc2 | 0xe3) => cursor.sees_at(at, "\u{a0}") || cursor.sees_at(at, "\u{3000}"),
        _ => false,
    }
}

/// The longest word that is looked at to tell a key from prose: looking stays cheap.
const LONGEST_LOOK: usize = 64;

/// Whether what follows a comma is another key or item.
fn comma_goes_on(cursor: &mut Cursor<'_>, after_comma: usize, position: Position) -> bool {
    let at = cursor.after_blanks(after_comma);
    let Some(byte) = cursor.look(at) else { return true };
    match byte {
        b'"' if position == Position::ValueOfObject => is_key(cursor, at),
        byte if byte.is_ascii_alphabetic() => {
            let end = word_end(cursor, at);
            let next = cursor.after_blanks(end);
            let follower = cursor.look(next);
            match position {
                Position::ItemOfArray => matches!(follower, Some(b',' | b']') | None),
                _ => matches!(follower, Some(b':')),
            }
        }
        _ => true,
    }
}

/// Whether a quoted key and its colon stand here. One too long to be looked at counts as such.
fn is_key(cursor: &mut Cursor<'_>, quote: usize) -> bool {
    for at in quote + 1..quote + LONGEST_LOOK {
        match cursor.look(at) {
            None | Some(b'\\' | b'\n') => return true,
            Some(b'"') => {
                let next = cursor.after_blanks(at + 1);
                return matches!(cursor.look(next), Some(b':' | b'\n' | b'\r' | b'/') | None);
            }
            Some(_) => {}
        }
    }
    true
}

fn word_end(cursor: &mut Cursor<'_>, start: usize) -> usize {
    let mut at = start;
    while at < start + LONGEST_LOOK && cursor.look(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        at += 1;
    }
    at
}

/// Whether a line break inside a text is followed by the next key of the object: then a closing quote was forgotten.
fn next_line_is_a_key(cursor: &mut Cursor<'_>) -> bool {
    let quote = cursor.after_blanks(cursor.at() + 1);
    if cursor.look(quote) != Some(b'"') {
        return false;
    }
    let end = word_end(cursor, quote + 1);
    if end == quote + 1 || cursor.look(end) != Some(b'"') {
        return false;
    }
    let colon = cursor.after_blanks(end + 1);
    cursor.look(colon) == Some(b':')
}

//! Reads one object, mending what can be mended.
//!
//! Every byte is passed once; where the text stops making sense, reading ends there and what was read so far is closed.

use serde_json::{Map, Value};

use super::{
    bare::{Bare, read_bare},
    blanks::skip_blanks,
    cursor::Cursor,
    frames::{Frames, Wants},
    notes::Notes,
    quoted::{Position, opening_quote, read_quoted},
};
use crate::ParseNote;

/// An object as it was read.
pub(super) struct ReadObject {
    pub(super) map: Map<String, Value>,
    pub(super) notes: Notes,
    /// False when it broke off, or when a word without quotes was taken for a text.
    pub(super) sound: bool,
}

/// Reads the object whose brace is here. Leaves the cursor behind it, or where it stopped making sense. None when not even one
/// key with a value was there, unless it is the empty object.
pub(super) fn read_object(cursor: &mut Cursor<'_>) -> Option<ReadObject> {
    let mut reader = Reader { frames: Frames::new(), guessed: false };
    cursor.bump(1);
    let whole = reader.read(cursor);
    let broken = whole.is_none();
    let map = whole.unwrap_or_else(|| reader.frames.close_all());
    if broken && map.is_empty() {
        return None;
    }
    if broken {
        reader.frames.notes.add(ParseNote::Truncated);
    }
    let sound = !broken && !reader.guessed;
    Some(ReadObject { map, notes: reader.frames.notes, sound })
}

struct Reader {
    frames: Frames,
    guessed: bool,
}

impl Reader {
    /// Reads to the end of the object; `None` where it breaks off.
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Option<Map<String, Value>> {
        loop {
            skip_blanks(cursor, &mut self.frames.notes);
            let byte = cursor.peek()?;
            if matches!(byte, b'}' | b']') {
                if let Some(map) = self.close(cursor, byte) {
                    return Some(map);
                }
                continue;
            }
            let in_array = self.frames.in_array();
            match self.frames.wants() {
                Wants::KeyOrEnd => self.read_key(cursor, byte)?,
                Wants::Value => self.read_value(cursor, byte, in_array)?,
                Wants::CommaOrEnd => self.read_comma(cursor, byte, in_array)?,
            }
        }
    }

    fn read_key(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Option<()> {
        if is_comma(cursor, byte) {
            self.frames.notes.add(ParseNote::Commas);
            pass_comma(cursor, byte);
            return Some(());
        }
        let start = cursor.at();
        let name = match opening_quote(cursor) {
            Some(quote) => {
                let quoted = read_quoted(cursor, quote, Position::Key, &mut self.frames.notes);
                if !quoted.closed {
                    // A key that was JSON to the end of the reply was cut off, and a brace in it opens no object. One that
                    // runs over a line was no key.
                    let key = cursor.since(start);
                    if !key.starts_with('"') || key.bytes().any(|byte| byte < 0x20) {
                        cursor.go_back(start + 1);
                    }
                    return None;
                }
                quoted.text
            }
            None => {
                let word = cursor.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$'));
                if word.is_empty() {
                    return None;
                }
                self.frames.notes.add(ParseNote::Quotes);
                word.to_owned()
            }
        };
        skip_blanks(cursor, &mut self.frames.notes);
        match cursor.peek()? {
            b':' => cursor.bump(1),
            0xef if cursor.sees("：") => {
                self.frames.notes.add(ParseNote::Commas);
                cursor.bump("：".len());
            }
            _ => {
                // It was no key, so what it held may hold an object.
                cursor.go_back(start + 1);
                return None;
            }
        }
        self.frames.set_key(name);
        Some(())
    }

    fn read_value(&mut self, cursor: &mut Cursor<'_>, byte: u8, in_array: bool) -> Option<()> {
        match byte {
            b'{' => {
                cursor.bump(1);
                self.frames.open_object();
                return Some(());
            }
            b'[' => {
                cursor.bump(1);
                self.frames.open_array();
                return Some(());
            }
            _ => {}
        }
        if is_comma(cursor, byte) {
            if in_array {
                self.frames.notes.add(ParseNote::Commas);
                pass_comma(cursor, byte);
            } else {
                self.frames.notes.add(ParseNote::Literals);
                self.frames.put(Value::Null);
            }
            return Some(());
        }
        let position = if in_array { Position::ItemOfArray } else { Position::ValueOfObject };
        if let Some(quote) = opening_quote(cursor) {
            let quoted = read_quoted(cursor, quote, position, &mut self.frames.notes);
            // Of a text that broke off, what came is kept; nothing came of an empty one.
            if quoted.closed || !quoted.text.is_empty() {
                self.frames.put(Value::String(quoted.text));
            }
            return quoted.closed.then_some(());
        }
        let start = cursor.at();
        match read_bare(cursor, &mut self.frames.notes) {
            Bare::Value(value) => self.frames.put(value),
            Bare::Guessed(value) if self.word_ends_here(cursor) => {
                self.guessed = true;
                self.frames.put(value);
            }
            Bare::Guessed(_) => {
                cursor.go_back(start + 1);
                return None;
            }
            Bare::CutOff | Bare::Nothing => return None,
        }
        Some(())
    }

    fn read_comma(&mut self, cursor: &mut Cursor<'_>, byte: u8, in_array: bool) -> Option<()> {
        let after_comma = is_comma(cursor, byte);
        if after_comma {
            if byte != b',' {
                self.frames.notes.add(ParseNote::Commas);
            }
            pass_comma(cursor, byte);
        } else {
            let goes_on = matches!(byte, b'"' | b'\'') || (in_array && byte == b'{');
            if !goes_on {
                return None;
            }
            self.frames.notes.add(ParseNote::Commas);
        }
        self.frames.go_on(after_comma);
        Some(())
    }

    /// Closes what the bracket here closes. Hands out the whole object when it was the outermost.
    fn close(&mut self, cursor: &mut Cursor<'_>, bracket: u8) -> Option<Map<String, Value>> {
        let in_array = self.frames.in_array();
        cursor.bump(1);
        if in_array == (bracket == b']') {
            return self.frames.close_one();
        }
        self.frames.notes.add(ParseNote::Brackets);
        if bracket == b']' {
            // Without an open array it is one too many; with one, a brace is missing before it.
            if self.frames.has_open_arrays() {
                self.frames.close_one();
                return self.frames.close_one();
            }
            return None;
        }
        if self.frames.depth() == 2 && self.comma_follows(cursor) {
            return self.frames.close_one();
        }
        self.frames.close_one();
        self.frames.close_one()
    }

    fn word_ends_here(&self, cursor: &mut Cursor<'_>) -> bool {
        let at = cursor.after_blanks(cursor.at());
        matches!(cursor.look(at), Some(b',' | b'}' | b']' | b';' | b'\n' | b'\r' | b'#'))
    }

    fn comma_follows(&self, cursor: &mut Cursor<'_>) -> bool {
        let at = cursor.after_blanks(cursor.at());
        cursor.look(at) == Some(b',')
    }
}

fn is_comma(cursor: &mut Cursor<'_>, byte: u8) -> bool {
    matches!(byte, b',' | b';') || (byte == 0xef && cursor.sees("，")) || (byte == 0xe3 && cursor.sees("、"))
}

fn pass_comma(cursor: &mut Cursor<'_>, byte: u8) {
    cursor.bump(if byte < 0x80 { 1 } else { "，".len() });
}

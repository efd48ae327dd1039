//! Reads one object, mending what can be mended.
//!
//! The stack of open brackets is a list of its own, so depth costs memory and no recursion. Every byte is passed once; where the
//! text stops making sense, reading ends there and what was read so far is closed.

use serde_json::{Map, Value};

use super::{
    bare::{Bare, read_bare},
    blanks::skip_blanks,
    cursor::Cursor,
    notes::Notes,
    quoted::{Place, opening_quote, read_quoted},
};
use crate::ParseNote;

/// Values nested deeper than this are left out: dropping a deep value recurses, and nobody means one.
const MOST_LEVELS: usize = 100;

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
    let mut reader = Reader { stack: Vec::new(), open_arrays: 0, notes: Notes::default(), guessed: false };
    cursor.bump(1);
    reader.stack.push(Frame::object());
    let whole = reader.read(cursor);
    let broken = whole.is_none();
    let map = whole.unwrap_or_else(|| reader.close_all());
    if broken && map.is_empty() {
        return None;
    }
    if broken {
        reader.notes.add(ParseNote::Truncated);
    }
    let sound = !broken && !reader.guessed;
    Some(ReadObject { map, notes: reader.notes, sound })
}

enum Holder {
    Object { map: Map<String, Value>, key: String },
    Array(Vec<Value>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    KeyOrEnd,
    Value,
    CommaOrEnd,
}

struct Frame {
    holder: Holder,
    wants: Wants,
    after_comma: bool,
}

impl Frame {
    fn object() -> Self {
        let holder = Holder::Object { map: Map::new(), key: String::new() };
        Self { holder, wants: Wants::KeyOrEnd, after_comma: false }
    }

    fn array() -> Self {
        Self { holder: Holder::Array(Vec::new()), wants: Wants::Value, after_comma: false }
    }

    fn is_array(&self) -> bool {
        matches!(self.holder, Holder::Array(_))
    }
}

struct Reader {
    stack: Vec<Frame>,
    open_arrays: usize,
    notes: Notes,
    guessed: bool,
}

impl Reader {
    /// Reads to the end of the object; `None` where it breaks off.
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Option<Map<String, Value>> {
        loop {
            skip_blanks(cursor, &mut self.notes);
            let byte = cursor.peek()?;
            if matches!(byte, b'}' | b']') {
                if let Some(map) = self.close(cursor, byte) {
                    return Some(map);
                }
                continue;
            }
            let frame = self.stack.last()?;
            let (wants, in_array) = (frame.wants, frame.is_array());
            match wants {
                Wants::KeyOrEnd => self.read_key(cursor, byte)?,
                Wants::Value => self.read_value(cursor, byte, in_array)?,
                Wants::CommaOrEnd => self.read_comma(cursor, byte, in_array)?,
            }
        }
    }

    fn read_key(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Option<()> {
        if is_comma(cursor, byte) {
            self.notes.add(ParseNote::Commas);
            pass_comma(cursor, byte);
            return Some(());
        }
        let start = cursor.at();
        let name = match opening_quote(cursor) {
            Some(quote) => {
                let quoted = read_quoted(cursor, quote, Place::Key, &mut self.notes);
                if !quoted.closed {
                    cursor.go_back(start + 1);
                    return None;
                }
                quoted.text
            }
            None => {
                let word = cursor.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$'));
                if word.is_empty() {
                    return None;
                }
                self.notes.add(ParseNote::Quotes);
                word.to_owned()
            }
        };
        skip_blanks(cursor, &mut self.notes);
        match cursor.peek()? {
            b':' => cursor.bump(1),
            0xef if cursor.sees("：") => {
                self.notes.add(ParseNote::Commas);
                cursor.bump("：".len());
            }
            _ => {
                // It was no key, so what it held may hold an object.
                cursor.go_back(start + 1);
                return None;
            }
        }
        let frame = self.stack.last_mut()?;
        frame.wants = Wants::Value;
        if let Holder::Object { key, .. } = &mut frame.holder {
            *key = name;
        }
        Some(())
    }

    fn read_value(&mut self, cursor: &mut Cursor<'_>, byte: u8, in_array: bool) -> Option<()> {
        match byte {
            b'{' => {
                cursor.bump(1);
                self.stack.push(Frame::object());
                return Some(());
            }
            b'[' => {
                cursor.bump(1);
                self.open_arrays += 1;
                self.stack.push(Frame::array());
                return Some(());
            }
            _ => {}
        }
        if is_comma(cursor, byte) {
            if in_array {
                self.notes.add(ParseNote::Commas);
                pass_comma(cursor, byte);
            } else {
                self.notes.add(ParseNote::Literals);
                self.put(Value::Null);
            }
            return Some(());
        }
        let place = if in_array { Place::ItemOfArray } else { Place::ValueOfObject };
        if let Some(quote) = opening_quote(cursor) {
            let quoted = read_quoted(cursor, quote, place, &mut self.notes);
            // Of a text that broke off, what came is kept; nothing came of an empty one.
            if quoted.closed || !quoted.text.is_empty() {
                self.put(Value::String(quoted.text));
            }
            return quoted.closed.then_some(());
        }
        let start = cursor.at();
        match read_bare(cursor, &mut self.notes) {
            Bare::Value(value) => self.put(value),
            Bare::Guessed(value) if self.word_ends_here(cursor) => {
                self.guessed = true;
                self.put(value);
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
        let wants = if in_array { Wants::Value } else { Wants::KeyOrEnd };
        let after_comma = is_comma(cursor, byte);
        if after_comma {
            if byte != b',' {
                self.notes.add(ParseNote::Commas);
            }
            pass_comma(cursor, byte);
        } else {
            let goes_on = matches!(byte, b'"' | b'\'') || (in_array && byte == b'{');
            if !goes_on {
                return None;
            }
            self.notes.add(ParseNote::Commas);
        }
        let frame = self.stack.last_mut()?;
        frame.wants = wants;
        frame.after_comma = after_comma;
        Some(())
    }

    /// Closes what the bracket here closes. Hands out the whole object when it was the outermost.
    fn close(&mut self, cursor: &mut Cursor<'_>, bracket: u8) -> Option<Map<String, Value>> {
        let in_array = self.stack.last().is_some_and(Frame::is_array);
        cursor.bump(1);
        if in_array == (bracket == b']') {
            return self.close_one();
        }
        self.notes.add(ParseNote::Brackets);
        if bracket == b']' {
            // Without an open array it is one too many; with one, a brace is missing before it.
            if self.open_arrays > 0 {
                self.close_one();
                return self.close_one();
            }
            return None;
        }
        if self.stack.len() == 2 && self.comma_follows(cursor) {
            return self.close_one();
        }
        self.close_one();
        self.close_one()
    }

    fn close_one(&mut self) -> Option<Map<String, Value>> {
        let level = self.stack.len();
        let frame = self.stack.pop()?;
        if frame.after_comma && frame.wants != Wants::CommaOrEnd {
            self.notes.add(ParseNote::Commas);
        }
        let value = match frame.holder {
            Holder::Array(items) => {
                self.open_arrays = self.open_arrays.saturating_sub(1);
                Value::Array(items)
            }
            Holder::Object { mut map, key } => {
                if frame.wants == Wants::Value {
                    self.notes.add(ParseNote::Literals);
                    map.insert(key, Value::Null);
                }
                if level == 1 {
                    return Some(map);
                }
                Value::Object(map)
            }
        };
        if level > MOST_LEVELS {
            self.notes.add(ParseNote::TooDeep);
            self.put(Value::Null);
        } else {
            self.put(value);
        }
        None
    }

    /// Closes everything where the object broke off; a key that got no value is left out.
    fn close_all(&mut self) -> Map<String, Value> {
        loop {
            let Some(frame) = self.stack.last_mut() else { return Map::new() };
            frame.after_comma = false;
            frame.wants = Wants::CommaOrEnd;
            if let Some(map) = self.close_one() {
                return map;
            }
        }
    }

    fn put(&mut self, value: Value) {
        let Some(frame) = self.stack.last_mut() else { return };
        frame.wants = Wants::CommaOrEnd;
        match &mut frame.holder {
            Holder::Array(items) => items.push(value),
            Holder::Object { map, key } => {
                let name = std::mem::take(key);
                if map.contains_key(&name) {
                    self.notes.add(ParseNote::DuplicateKey(name.clone()));
                }
                map.insert(name, value);
            }
        }
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

//! The brackets that are open, and what they hold so far.
//!
//! They are a list of their own, so depth costs memory and no recursion.

use serde_json::{Map, Value};

use super::notes::Notes;
use crate::ParseNote;

/// Values nested deeper than this are left out: dropping a deep value recurses, and nobody means one.
const MOST_LEVELS: usize = 100;

/// What may come next inside a bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    KeyOrEnd,
    Value,
    CommaOrEnd,
}

enum Holder {
    Object { map: Map<String, Value>, key: String },
    Array(Vec<Value>),
}

struct Frame {
    holder: Holder,
    wants: Wants,
    after_comma: bool,
}

/// Open brackets, the outermost first. The outermost is an object.
pub(super) struct Frames {
    stack: Vec<Frame>,
    open_arrays: usize,
    pub(super) notes: Notes,
}

impl Frames {
    /// One object, just opened.
    pub(super) fn new() -> Self {
        let mut frames = Self { stack: Vec::new(), open_arrays: 0, notes: Notes::default() };
        frames.open_object();
        frames
    }

    pub(super) fn open_object(&mut self) {
        let holder = Holder::Object { map: Map::new(), key: String::new() };
        self.stack.push(Frame { holder, wants: Wants::KeyOrEnd, after_comma: false });
    }

    pub(super) fn open_array(&mut self) {
        self.open_arrays += 1;
        self.stack.push(Frame { holder: Holder::Array(Vec::new()), wants: Wants::Value, after_comma: false });
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn has_open_arrays(&self) -> bool {
        self.open_arrays > 0
    }

    pub(super) fn wants(&self) -> Wants {
        self.stack.last().map_or(Wants::CommaOrEnd, |frame| frame.wants)
    }

    pub(super) fn in_array(&self) -> bool {
        self.stack.last().is_some_and(|frame| matches!(frame.holder, Holder::Array(_)))
    }

    /// A key of the innermost object; its value comes next.
    pub(super) fn set_key(&mut self, name: String) {
        let Some(frame) = self.stack.last_mut() else { return };
        frame.wants = Wants::Value;
        if let Holder::Object { key, .. } = &mut frame.holder {
            *key = name;
        }
    }

    /// Another key or item comes next, after a comma or where one is missing.
    pub(super) fn go_on(&mut self, after_comma: bool) {
        let wants = if self.in_array() { Wants::Value } else { Wants::KeyOrEnd };
        if let Some(frame) = self.stack.last_mut() {
            frame.wants = wants;
            frame.after_comma = after_comma;
        }
    }

    /// A value of the innermost bracket.
    pub(super) fn put(&mut self, value: Value) {
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

    /// Closes the innermost bracket. Hands out the whole object when it was the outermost.
    pub(super) fn close_one(&mut self) -> Option<Map<String, Value>> {
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
    pub(super) fn close_all(&mut self) -> Map<String, Value> {
        loop {
            let Some(frame) = self.stack.last_mut() else { return Map::new() };
            frame.after_comma = false;
            frame.wants = Wants::CommaOrEnd;
            if let Some(map) = self.close_one() {
                return map;
            }
        }
    }
}

//! What is looked for in a reply, and what was found.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A text. Numbers and booleans are written out; a list of texts is joined by line breaks; null is the empty text.
    Text,
    /// A list of texts. One text becomes a list of one; null an empty list; items that are no texts are written out.
    TextList,
    /// True or false. The words `true`, `yes`, `false` and `no` are taken for what they say; nothing else is.
    Bool,
    /// A number, or null for none. A text that is a number is taken for it; `85%` is 0.85.
    Number,
    /// Whatever it is.
    Any,
}

/// One key of a [`Shape`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeKey {
    /// The key, exactly as it is to come out.
    pub name: String,
    /// What its value has to be.
    pub kind: Kind,
    /// Whether an object without it is no answer.
    pub required: bool,
}

/// The keys that an answer has to have, and may have. Other keys are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    keys: Vec<ShapeKey>,
}

impl Shape {
    /// Expects nothing: any object fits.
    pub fn any() -> Self {
        Self::default()
    }

    /// Needs this key.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, kind: Kind) -> Self {
        self.keys.push(ShapeKey { name: name.into(), kind, required: true });
        self
    }

    /// Knows this key, and does without it.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, kind: Kind) -> Self {
        self.keys.push(ShapeKey { name: name.into(), kind, required: false });
        self
    }

    /// The keys, in the order in which they were named.
    pub fn keys(&self) -> &[ShapeKey] {
        &self.keys
    }
}

/// How the value was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseStatus {
    /// The reply held a valid JSON object of the shape, at most with words, a fence or a thinking block around it.
    Clean,
    /// There was an object, and it had to be mended or its values turned into what the shape asks for: the notes say how.
    Repaired,
    /// There was no object of the shape. The value is absent, or has only some of what is required, or was read from
    /// `key: value` lines: the notes say which.
    Fallback,
}

/// One thing that was done to get at the value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseNote {
    /// A thinking block was left out.
    ThinkingStripped,
    /// A thinking block never ended; what it held was looked at only because nothing came after it.
    ThinkingUnclosed,
    /// The object was inside a code fence.
    Fenced,
    /// There were words around the object.
    ProseAround,
    /// Several objects were there; the last of those that fit best was taken.
    SeveralCandidates(usize),
    /// The object was an item of an array.
    TakenFromArray,
    /// The object was inside another one, under this key.
    Unwrapped(String),
    /// The object was a text inside JSON.
    DoubleEncoded,
    /// Commas before a closing bracket were dropped, or missing ones put in.
    Commas,
    /// Comments, or dots for "more of the same", were dropped.
    Comments,
    /// Quotes that are not `"` were taken for it, or keys had none.
    Quotes,
    /// Words such as `True`, `None` or `NaN` were taken for what JSON has.
    Literals,
    /// Line breaks, bad escapes or odd blanks were mended.
    Escapes,
    /// The object broke off, at the end of the reply or before: what was open was closed. A text is kept as far as it came; a key
    /// without a value and a number that may have gone on are left out.
    Truncated,
    /// Closing brackets did not match the opening ones.
    Brackets,
    /// Nesting beyond the limit was left out.
    TooDeep,
    /// The same key was there twice; the last one counts.
    DuplicateKey(String),
    /// The value under this key was turned into what the shape asks for.
    Coerced(String),
    /// The value under this key cannot be what the shape asks for, and was left out.
    Dropped(String),
    /// This key was spelt otherwise (case, `-`, space).
    Renamed(String),
    /// This required key was not there.
    Missing(String),
    /// The value was read from `key: value` lines.
    ReadLines,
    /// Nothing was there to read.
    Empty,
    /// It looks like a web page, which proxies answer in passing.
    WebPage,
    /// There was no object of the shape.
    NoObject,
}

/// What came out of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// The object, its known keys of the kinds that the shape names. With [`ParseStatus::Fallback`] it may be absent.
    pub value: Option<Map<String, Value>>,
    /// How it was come by.
    pub status: ParseStatus,
    /// What was done, in order, each thing once.
    pub notes: Vec<ParseNote>,
    /// The reply as it came.
    pub raw: String,
}

//! What a provider's protocol has to say.

use reqwest::Url;
use serde_json::Value;

use super::pieces::Pieces;
use crate::{ChatError, ChatReply, ChatRequest, Part, Secret};

/// How a request is put, beside what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asking {
    /// The answer is to come in pieces.
    pub(super) stream: bool,
    /// The provider is to enforce the schema; otherwise the prompt asks for it.
    pub(super) schema: bool,
    /// The temperature is sent.
    pub(super) temperature: bool,
    /// The limit on the answer goes by the other of its two names.
    pub(super) other_max_tokens: bool,
}

/// How the pieces of a streamed answer are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events: lines that begin with `data:`.
    Events,
    /// One JSON value a line.
    Lines,
}

/// One way of asking over HTTP.
pub(super) trait Protocol: Send + Sync {
    /// Where to send it.
    fn url(&self, base: &Url, model: &str, stream: bool) -> Url;

    /// The headers that carry the key, and those that the protocol wants always; most want a bearer.
    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
    }

    /// Why this part of a user's message cannot be sent; most take images and PDFs, by bytes and by address.
    fn refuses(&self, _part: &Part) -> Option<&'static str> {
        None
    }

    /// What to send.
    fn body(&self, model: &str, request: &ChatRequest, asking: Asking) -> Value;

    /// Reads a whole answer: where it looks no different, as the only piece of itself.
    fn read(&self, answer: &Value) -> Result<ChatReply, ChatError> {
        let mut pieces = Pieces::default();
        self.add(answer, &mut pieces)?;
        Ok(pieces.take_reply())
    }

    /// How pieces are told apart.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// Adds a piece of an answer to those before it, and hands out the words in it.
    fn add(&self, piece: &Value, pieces: &mut Pieces) -> Result<String, ChatError>;
}

/// An address below the base.
pub(super) fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// An object without the entries that are null, and null if no entry is left: what is not set is not sent.
pub(super) fn what_is_set(mut object: Value) -> Value {
    if let Value::Object(entries) = &mut object {
        entries.retain(|_, value| !value.is_null());
        if entries.is_empty() {
            return Value::Null;
        }
    }
    object
}

/// A list, or null if it is empty.
pub(super) fn list(items: impl Iterator<Item = Value>) -> Value {
    let items: Vec<Value> = items.collect();
    if items.is_empty() { Value::Null } else { Value::Array(items) }
}

pub(super) fn malformed(message: impl Into<String>) -> ChatError {
    ChatError::Malformed { message: message.into() }
}

/// A text under a path of keys; empty when there is none.
pub(super) fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A count under a path of keys; zero when there is none.
pub(super) fn count_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

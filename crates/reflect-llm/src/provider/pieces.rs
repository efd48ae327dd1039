//! Putting an answer together that comes in pieces.

use serde_json::Value;

use super::protocol::text_at;
use crate::{ChatMessage, ChatReply, FinishReason, ToolCall};

/// What has come of an answer so far.
#[derive(Debug)]
pub(super) struct Pieces {
    /// All of it but for `calls`. Why it ended is not known at first.
    pub(super) reply: ChatReply,
    pub(super) calls: CallParts,
    /// The provider said that the answer is complete.
    pub(super) done: bool,
}

impl Default for Pieces {
    fn default() -> Self {
        let reply = ChatReply { finish: FinishReason::Other, ..ChatReply::default() };
        Self { reply, calls: CallParts::default(), done: false }
    }
}

impl Pieces {
    /// The whole answer.
    pub(super) fn take_reply(&mut self) -> ChatReply {
        let mut reply = std::mem::take(&mut self.reply);
        reply.tool_calls.extend(self.calls.take());
        reply
    }
}

/// Tool calls whose arguments come in parts.
#[derive(Debug, Default)]
pub(super) struct CallParts(Vec<(u64, String, String, String)>);

impl CallParts {
    /// Adds to the call of this index: its id and name once, its arguments bit by bit.
    pub(super) fn add(&mut self, index: u64, id: &str, name: &str, arguments: &str) {
        if !self.0.iter().any(|(known, ..)| *known == index) {
            self.0.push((index, String::new(), String::new(), String::new()));
        }
        if let Some((_, known_id, known_name, known_arguments)) = self.0.iter_mut().find(|(known, ..)| *known == index)
        {
            known_id.push_str(id);
            known_name.push_str(name);
            known_arguments.push_str(arguments);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.0).into_iter().enumerate();
        calls.map(|(index, (_, id, name, arguments))| tool_call(index, &id, &name, arguments_of(&arguments))).collect()
    }
}

/// A call, with an id made of name and index where the provider gives none.
pub(super) fn tool_call(index: usize, id: &str, name: &str, arguments: Value) -> ToolCall {
    let id = if id.is_empty() { format!("{name}-{index}") } else { id.to_owned() };
    ToolCall { id, name: name.to_owned(), arguments }
}

/// Arguments that came as a text of JSON; what is not JSON stays a text.
pub(super) fn arguments_of(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// A call of a function as OpenAI and Ollama write it.
pub(super) fn read_call(index: usize, call: &Value) -> ToolCall {
    let arguments = match call.pointer("/function/arguments") {
        Some(Value::String(text)) => arguments_of(text),
        Some(other) => other.clone(),
        None => arguments_of(""),
    };
    tool_call(index, &text_at(call, "/id"), &text_at(call, "/function/name"), arguments)
}

/// The name of the tool whose call has this id; the id itself if there is no such call.
pub(super) fn called_tool<'a>(messages: &'a [ChatMessage], id: &'a str) -> &'a str {
    let call = messages.iter().flat_map(|earlier| &earlier.tool_calls).find(|call| call.id == id);
    call.map_or(id, |call| call.name.as_str())
}

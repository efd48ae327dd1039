//! What is said in a conversation.

use reflect_core::text_enum;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Content, Part};

text_enum! {
    /// Who speaks.
    Role {
        /// The operator's instructions.
        System = "system",
        /// The one who asks.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The result of a tool that the model called.
        Tool = "tool",
    }
}

/// The model's wish to have a tool run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the result is to be answered under. Providers without such ids get one made of name and position.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments. A text that is not JSON is kept as a JSON string.
    pub arguments: Value,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said, or the first of it; empty when there are only tool calls.
    pub text: String,
    /// What follows the text: images, documents and further words, in order. Providers take them in a user's message alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Tools that an assistant's message calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Which call a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl ChatMessage {
    /// Instructions of the operator.
    pub fn system(text: impl Into<String>) -> Self {
        Self::of(Role::System, text)
    }

    /// A question: a text, or parts such as a text and an image.
    pub fn user(content: impl Into<Content>) -> Self {
        let mut parts = content.into().0;
        let text = match parts.first_mut() {
            Some(Part::Text { text }) => std::mem::take(text),
            _ => return Self { parts, ..Self::of(Role::User, "") },
        };
        parts.remove(0);
        Self { parts, ..Self::of(Role::User, text) }
    }

    /// An earlier answer of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::of(Role::Assistant, text)
    }

    /// An earlier answer of the model that called tools.
    pub fn assistant_calling(text: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::of(Role::Assistant, text) }
    }

    /// What a tool returned for the call `tool_call_id`.
    pub fn tool(tool_call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(tool_call_id.into()), ..Self::of(Role::Tool, text) }
    }

    /// All that is said, in order.
    pub fn content(&self) -> Content {
        let text = (!self.text.is_empty()).then(|| Part::text(&self.text));
        Content(text.into_iter().chain(self.parts.iter().cloned()).collect())
    }

    fn of(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), parts: Vec::new(), tool_calls: Vec::new(), tool_call_id: None }
    }
}

//! What a model is asked.

use std::time::Duration;

use derive_setters::Setters;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ChatMessage, Content};

/// What a model is told of a tool that it may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does and when to call it.
    pub description: String,
    /// A JSON schema of its arguments, an object's.
    pub parameters: Value,
}

/// What the answer has to look like.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Any text.
    #[default]
    Text,
    /// A JSON object of this schema. Enforced by the provider where it can be, asked for in the prompt where it cannot:
    /// so the caller still reads the text with the extractor.
    Json {
        /// What the object is called: letters, digits, `_` and `-`.
        name: String,
        /// The JSON schema, an object's.
        schema: Value,
    },
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Setters)]
#[setters(generate = false, strip_option)]
pub struct ChatRequest {
    /// The conversation so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools that may be called; empty for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// What the answer has to look like.
    #[serde(default)]
    pub answer: AnswerFormat,
    /// Zero for the likeliest words; the provider's default when unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[setters(generate)]
    pub temperature: Option<f64>,
    /// The most tokens that may be generated; the provider's default when unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[setters(generate)]
    pub max_tokens: Option<u32>,
    /// How long one attempt may take, from sending to the last word. It is not part of a recorded exchange.
    #[serde(skip)]
    #[setters(generate)]
    pub timeout: Option<Duration>,
}

impl ChatRequest {
    /// Asks these messages, for any text.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Asks one question under one instruction.
    pub fn ask(system: impl Into<String>, user: impl Into<Content>) -> Self {
        Self::new(vec![ChatMessage::system(system), ChatMessage::user(user)])
    }

    /// Wants a JSON object of this schema.
    #[must_use]
    pub fn json(mut self, name: impl Into<String>, schema: Value) -> Self {
        self.answer = AnswerFormat::Json { name: name.into(), schema };
        self
    }

    /// Offers a tool.
    #[must_use]
    pub fn tool(mut self, tool: ToolDefinition) -> Self {
        self.tools.push(tool);
        self
    }
}

//! What happened in a run.

use reflect_core::RawJson;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a run. Whatever else a framework puts on its messages goes into `more` and is kept.
///
/// ```
/// use reflect_client::Message;
///
/// let message = Message::tool("call_1", "42 rows");
/// assert_eq!(serde_json::to_value(message).unwrap()["tool_call_id"], "call_1");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user`, `assistant`, `tool`, or a framework's own word.
    pub role: String,
    /// The words, or a list of parts.
    pub content: Value,
    /// Everything else: `tool_calls`, `tool_call_id`, `name`, …
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Message {
    /// A message of any role.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self { role: role.into(), content: Value::String(content.into()), more: Map::new() }
    }

    /// The operator's instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new("system", content)
    }

    /// What was asked.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new("user", content)
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new("assistant", content)
    }

    /// What a tool answered to a call.
    pub fn tool(tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::new("tool", content).with("tool_call_id", tool_call_id.into())
    }

    /// The same with one more field.
    #[must_use]
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.more.insert(field.into(), value.into());
        self
    }
}

/// What happened in a run: messages in order, or a text.
///
/// ```
/// use reflect_client::{Message, Trajectory};
///
/// let messages = Trajectory::from([Message::user("2 + 2?"), Message::assistant("4")]);
/// let text = Trajectory::from("the agent said 4");
/// let anything = Trajectory::of(&serde_json::json!([{"role": "user", "content": "2 + 2?"}]));
/// assert_ne!(messages, text);
/// # let _ = anything;
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory(RawJson);

impl Trajectory {
    /// Messages of any type that serialises as LLM APIs write them.
    ///
    /// ```
    /// use reflect_client::{Message, Trajectory};
    ///
    /// #[derive(serde::Serialize)]
    /// struct Turn { role: &'static str, content: &'static str }
    ///
    /// let trajectory = Trajectory::of(&[Turn { role: "user", content: "2 + 2?" }]);
    /// assert_eq!(trajectory, Trajectory::from([Message::user("2 + 2?")]));
    /// ```
    pub fn of<T: Serialize + ?Sized>(messages: &T) -> Self {
        Self(RawJson::from_value(messages))
    }

    /// Nothing: for lessons that are written by hand.
    pub fn empty() -> Self {
        Self::of(&[(); 0])
    }

    pub(crate) fn into_raw(self) -> RawJson {
        self.0
    }

    /// Whether a block of memories stands in it.
    pub(crate) fn shows_memories(&self) -> bool {
        self.0.as_str().contains("<relevant_memories") || self.0.as_str().contains("\\u003crelevant_memories")
    }
}

/// Messages, a text, or whatever else is written as JSON.
impl<T: Serialize> From<T> for Trajectory {
    fn from(messages: T) -> Self {
        Self::of(&messages)
    }
}

//! Talks to large language models, whoever serves them, and reads the JSON out of what they answer.
//!
//! [`ChatModel`] is the one door: messages in; text, tool calls, usage and the reason why it ended out. Dropping the
//! future or the stream that a call returned cancels the call.
//!
//! Nothing here knows what a lesson or a trace is, keeps state between calls beyond counters, reads the clock or draws a
//! random number by itself. Keys never appear in errors or in what `Debug` prints: they live in a [`Secret`].

mod error;
mod extract;
mod message;
mod model;
mod reply;
mod request;
mod scripted;
mod secret;
mod shape;

pub use error::ChatError;
pub use extract::{extract_json, extract_json_counting};
pub use message::{ChatMessage, Role, ToolCall};
pub use model::{ChatModel, ChatPiece, ChatStream};
pub use reply::{ChatReply, FinishReason, Usage};
pub use request::{AnswerFormat, ChatRequest, Tool};
pub use scripted::{ScriptedModel, ScriptedStep};
pub use secret::Secret;
pub use shape::{Extracted, Kind, ParseNote, ParseStatus, Shape, ShapeKey};

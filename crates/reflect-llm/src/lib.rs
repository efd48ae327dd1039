//! Talks to large language models, whoever serves them, and reads the JSON out of what they answer.
//!
//! [`ChatModel`] is the one door: messages in; text, tool calls, usage and the reason why it ended out, whole or in pieces. Dropping
//! the future or the stream that a call returned cancels the call. [`connect`] makes a model of a name such as
//! `openai/gpt-5.4-mini`; [`Retrying`], [`Limited`], [`Metered`] and [`Recording`] go around any model and
//! are models again; [`ScriptedModel`] and [`Replay`] stand in for one. [`extract_json`] finds the object that was asked for in whatever a model
//! said, and tells what it had to do for it.
//!
//! A schema is enforced by the provider where it can be, and asked for in words where it cannot; which of the two an endpoint needs is
//! learned from its refusals. Either way the answer is a text that goes through the extractor: providers that promise JSON break off too.
//!
//! The providers and their HTTP client come with the feature `providers`, which is on by default; without it, the model is the caller's.
//!
//! What this crate does not do: it knows neither lessons nor traces nor prompts, keeps no state between calls beyond counters and what
//! an endpoint refused, reads no environment, and takes clock, randomness and connections from the caller ([`connect`] alone takes the
//! machine's clock and connections of its own). Keys live in a [`Secret`] and
//! appear neither in errors nor in what `Debug` prints.
//!
//! To add a provider: a file in `provider/` that implements `Protocol` (where to send it, the body, reading the answer whole and in
//! pieces), a line in `connect`, and its tests in `tests/suite/providers` over a real server on loopback; the faults there then run over it
//! too. To teach the extractor a new trick: first the replies, in `tests/corpus`.

mod content;
mod error;
mod extract;
mod message;
mod model;
#[cfg(feature = "providers")]
mod provider;
mod reply;
mod request;
mod scripted;
mod shape;
mod wrap;

pub use content::{Content, Part, Source};
pub use error::ChatError;
pub use extract::{extract_json, extract_json_counting, without_thinking};
pub use message::{ChatMessage, Role, ToolCall};
pub use model::{ChatModel, ChatPiece, ChatStream};
#[cfg(feature = "providers")]
pub use provider::{ConnectError, ProviderSettings, connect, connect_with};
pub use reflect_core::{Clock, Entropy, Media, Secret, UnknownName};
#[cfg(feature = "providers")]
pub use reflect_http::{HttpClient, NoClient};
pub use reply::{ChatReply, FinishReason, Usage};
pub use request::{AnswerFormat, ChatRequest, ToolDefinition};
pub use scripted::{ScriptedModel, ScriptedStep};
pub use shape::{Extracted, Kind, ParseNote, ParseStatus, Shape, ShapeKey};
pub use wrap::{Limited, Meter, MeterReading, Metered, Price, Prices, Recording, Replay, RetrySettings, Retrying};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

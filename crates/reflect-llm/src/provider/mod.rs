//! Who serves models, and how each of them wants to be asked.
//!
//! Four protocols over one HTTP client, rather than a library of providers: the libraries at hand turn on features of `serde_json` for
//! every crate of the workspace (`preserve_order`), put whole answers into their error texts, and leave no room to learn what an
//! endpoint does not take. A protocol here is a file that writes a body and reads an answer.

mod anthropic;
mod connect;
mod failure;
mod gemini;
mod http_model;
mod ollama;
mod openai;
mod parts;
mod pieces;
mod protocol;
mod schema_prompt;
mod streaming;
mod strike;

pub use connect::{ConnectError, ProviderSettings, connect, connect_with};

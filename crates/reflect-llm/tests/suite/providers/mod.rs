//! Every protocol over a real HTTP server on loopback: what is sent, what is read, and what happens when things go wrong.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "in tests a failure is the message")]

mod anthropic;
mod asking;
mod endpoint;
mod faults;
mod gemini;
mod ollama;
mod openai;
mod parts;
mod secrets;
mod streams;

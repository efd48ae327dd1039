//! Writes and checks the files under `spec/vectors` that say how verdicts are read, how a judge is asked and understood, and how
//! memories are shown and texts redacted.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

#[path = "../../../../reflect-llm/tests/suite/extraction/held.rs"]
mod held;
mod memory_block;
mod redaction;
mod reflections;
mod verdicts;

//! What comes out of replies of language models: a corpus, counted steps, and properties.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in tests a failure is the message")]

mod corpus;
mod reader;

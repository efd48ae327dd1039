//! What comes out of replies of language models: a corpus, counted steps, and properties.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "in tests a failure is the message")]

mod corpus;
mod held;
mod linear;
mod properties;
mod reader;
mod thinking;
mod vectors;

//! Every call in both worlds: a server over HTTP, and the engine in this process. No case is for one world alone.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "in tests a failure is the message")]

mod closing;
mod events;
mod harness;
mod keys;
mod lists;
mod memories;
mod projects;
mod prompt;
mod queries;
mod reviews;
mod skills;
mod traces;
mod waiting;

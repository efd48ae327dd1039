//! The same client for programs without an async runtime.
//!
//! Calls are made as with the async client and sent by `send` instead of by awaiting them. They run on threads of their own, one
//! small runtime for the whole process that starts with the first call; the calling thread only waits. So they also work on a
//! thread of another async runtime, which they hold up as any blocking call does.
//!
//! ```no_run
//! # fn main() -> Result<(), reflect_client::Error> {
//! use reflect_client::{Message, blocking::ReflectClient};
//!
//! let client = ReflectClient::from_env()?;
//! let task = "Parse the CSV and return the top 5 rows";
//! let augmented = client.augment_with_memories(task).limit(5).send()?;
//! let trajectory = [Message::user(&augmented.augmented_task), Message::assistant("…")];
//! client.create_trace(task, trajectory).memories(&augmented).passed().send()?;
//! # Ok(())
//! # }
//! ```
//!
//! To add a call, name it in `calls.rs`, and its options in `options.rs`.

#[cfg(feature = "macros")]
pub(crate) mod attribute;
mod call;
mod calls;
mod client;
mod driver;
mod options;
#[cfg(test)]
mod parity_tests;
mod scope;

pub use call::Call;
pub use client::ReflectClient;
pub use scope::TraceGuard;

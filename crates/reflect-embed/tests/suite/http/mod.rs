//! The embedder over HTTP against a real server on this machine, which behaves well or badly by script.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers outside of test functions fail tests by panicking"
)]

mod endpoint;
mod faults;
mod service;

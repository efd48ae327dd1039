//! The patterns above the explicit calls: scope and guard; over HTTP and in the process.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers outside of test functions fail tests by panicking"
)]

mod guard;
mod scope;
mod support;

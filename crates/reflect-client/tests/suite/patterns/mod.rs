//! The patterns above the explicit calls: scope, guard, attribute, and all of it without async; over HTTP and in the process.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers outside of test functions fail tests by panicking"
)]

mod attribute;
mod blocking;
mod guard;
mod scope;
mod support;

//! The HTTP client that every part of Reflect starts from: models, embedders over HTTP, the SDK, the command line.
//!
//! TLS is rustls over ring with Mozilla's roots built in: no C library to be found at run time, and one small build. Redirects are
//! not followed. Loopback is reached directly, whatever proxies the environment names. How long a server asks to wait is read by
//! [`retry_after`], and nowhere else.
//!
//! What this crate does not do: it sends nothing by itself, and knows neither keys nor time limits of a whole call; a caller adds
//! what it needs.

mod client;
mod retry_after;

pub use client::{HttpClient, NoClient, client_for};
pub use retry_after::retry_after;

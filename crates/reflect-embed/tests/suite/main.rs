//! The built-in model, the published one, embedders over HTTP, and what is wrapped around an embedder.

mod builtin;
mod http;
mod original;
mod wrappers;

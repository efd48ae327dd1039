//! Replies of language models, and the providers that give them.

mod extraction;
#[cfg(feature = "providers")]
mod providers;

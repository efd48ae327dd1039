//! Who may do what: API keys, their secrets, and the caller that a key stands for.

mod auth;
mod keys;
mod master_key_file;
mod secrets;

pub use auth::{Asker, AuthError, Caller};
pub use keys::{CreatedKey, NewKey};
pub use secrets::MasterKey;

pub(crate) use secrets::{hex, public_part, same_text};

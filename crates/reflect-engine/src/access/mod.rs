//! Who may do what: API keys, their secrets, sessions of the console, and the caller that either stands for.

mod auth;
mod keys;
mod master_key_file;
mod secrets;
mod sessions;
mod sign_in_codes;

pub use auth::{Asker, AuthError, Caller};
pub use keys::{CreatedKey, NewKey};
pub use secrets::MasterKey;
pub use sessions::SignedIn;

pub(crate) use secrets::{hex, public_part, same_text};
pub(crate) use sign_in_codes::SignInCodes;

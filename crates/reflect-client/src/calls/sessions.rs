//! Sessions of the console, and who one is.

use reflect_api::{SessionAnswer, SignInAnswer, SignInRequest};

use crate::{ReflectClient, Result};

impl ReflectClient {
    /// Begins a session of the console with this client's key: a key of its own that may do the same for eight hours.
    pub async fn sign_in(&self) -> Result<SignInAnswer> {
        self.world.sign_in(SignInRequest::default()).await
    }

    /// Begins one with the one-time code of the link that a server prints when it starts. Needs no key.
    pub async fn sign_in_with_code(&self, code: impl Into<String>) -> Result<SignInAnswer> {
        self.world.sign_in(SignInRequest { code: Some(code.into()) }).await
    }

    /// Ends the session whose key this client has.
    pub async fn sign_out(&self) -> Result<()> {
        self.world.sign_out().await
    }

    /// Which project this client's key opens, what it may do there, and until when.
    pub async fn get_session(&self) -> Result<SessionAnswer> {
        self.world.get_session().await
    }
}

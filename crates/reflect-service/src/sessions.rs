//! Signing in to the console.

use reflect_api::{SessionAnswer, SignInAnswer};
use reflect_engine::{Caller, SignedIn};

use crate::{Service, ServiceResult};

impl Service {
    /// Begins a session for the holder of a key.
    pub async fn sign_in(&self, caller: &Caller) -> ServiceResult<SignInAnswer> {
        Ok(self.signed_in(self.engine.sign_in(caller).await?))
    }

    /// Begins a session for the holder of a one-time code.
    pub async fn sign_in_with_code(&self, code: &str) -> ServiceResult<SignInAnswer> {
        Ok(self.signed_in(self.engine.sign_in_with_code(code).await?))
    }

    /// Ends the session that the caller works with.
    pub async fn sign_out(&self, caller: &Caller) -> ServiceResult<()> {
        Ok(self.engine.sign_out(caller).await?)
    }

    /// Who the caller is.
    pub fn session(&self, caller: &Caller) -> SessionAnswer {
        SessionAnswer {
            project_id: caller.bound_to().cloned().map(Into::into),
            scopes: caller.scopes().to_vec(),
            label: caller.label().to_owned(),
            expires_at: caller.expires_at(),
            is_master: caller.is_master(),
            is_session: caller.is_session(),
        }
    }

    fn signed_in(&self, SignedIn { plain_text, caller }: SignedIn) -> SignInAnswer {
        let SessionAnswer { project_id, scopes, expires_at, is_master, .. } = self.session(&caller);
        let expires_at = expires_at.unwrap_or_else(|| self.engine.now());
        SignInAnswer { api_key: plain_text, expires_at, project_id, scopes, is_master }
    }
}

//! Signing in to the console. A session stands for a key: it may do what that key may do as long as that key may do it, and ends by
//! itself. Its reviews are those of a person in the console.

use reflect_core::{Environment, KeyId, ProjectId, Session, SessionParent, session_end};
use reflect_store::SessionWithHash;

use super::{
    Caller,
    auth::AuthError,
    secrets::{KeyText, SESSION_MARK, random_public_id, random_secret},
};
use crate::{AuditEvent, Engine, EngineError, EngineResult};

/// How many sessions one key has at most; the oldest end.
const MOST_SESSIONS: usize = 100;

/// A session that has just begun: the one moment when its text is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The whole text, secret included.
    pub plain_text: String,
    /// Whom it stands for.
    pub caller: Caller,
}

impl Engine {
    /// A code that signs in whoever has it as the holder of the master key: once, and within five minutes.
    pub fn hand_out_sign_in_code(&self) -> String {
        self.sign_in_codes.hand_out(&*self.entropy, self.now())
    }

    /// Begins a session for the holder of a one-time code.
    pub async fn sign_in_with_code(&self, code: &str) -> EngineResult<SignedIn> {
        if !self.sign_in_codes.redeem(code, self.now()) {
            return Err(EngineError::WrongSignInCode);
        }
        self.begin_session(&Caller::master(), "code").await
    }

    /// Begins a session for the holder of a key.
    pub async fn sign_in(&self, caller: &Caller) -> EngineResult<SignedIn> {
        if caller.is_session() {
            return Err(EngineError::SessionOfSession);
        }
        self.begin_session(caller, caller.public_id()).await
    }

    /// Ends the session that the caller works with.
    pub async fn sign_out(&self, caller: &Caller) -> EngineResult<()> {
        if !caller.is_session() {
            return Err(EngineError::NoSession);
        }
        self.store.delete_session(caller.public_id().to_owned()).await?;
        self.coordination.forget_sessions();
        self.audit(&AuditEvent::SignedOut { session: caller.public_id() });
        Ok(())
    }

    async fn begin_session(&self, parent: &Caller, by: &str) -> EngineResult<SignedIn> {
        let now = self.now();
        let session = Session {
            id: KeyId::mint(now, &*self.entropy),
            public_id: format!("{SESSION_MARK}{}", random_public_id(&*self.entropy)),
            parent: match parent.bound_to() {
                None => SessionParent::Master,
                Some(_) => SessionParent::Key(parent.public_id().to_owned()),
            },
            created_at: now,
            expires_at: session_end(now, parent.expires_at()),
        };
        let secret = random_secret(&*self.entropy);
        let secret_hash = self.master_key.session_hash(&secret).to_vec();
        self.store.insert_session(SessionWithHash { session: session.clone(), secret_hash }, MOST_SESSIONS).await?;
        self.coordination.forget_sessions();
        let project: Option<&ProjectId> = parent.bound_to();
        self.audit(&AuditEvent::SignedIn { by, session: &session.public_id, project, expires_at: session.expires_at });
        let plain_text = KeyText::write(Environment::Live, &session.public_id, &secret);
        Ok(SignedIn { plain_text, caller: parent.clone().in_session(&session) })
    }

    /// Recognises a session. The key behind it is looked at anew, so that a session ends with it.
    pub(super) async fn authenticate_session(&self, text: &KeyText<'_>) -> Result<Caller, AuthError> {
        let found = self.coordination.find_session(text.public_id).await?;
        let SessionWithHash { session, secret_hash } = found.ok_or(AuthError::Unknown)?;
        if !self.master_key.is_session_secret(text.secret, &secret_hash) {
            return Err(AuthError::Unknown);
        }
        if session.expires_at <= self.now() {
            return Err(AuthError::Expired(session.expires_at));
        }
        let parent = match &session.parent {
            SessionParent::Master => Caller::master(),
            SessionParent::Key(public_id) => {
                let key = self.coordination.find_key(public_id).await?.ok_or(AuthError::Unknown)?;
                self.refuse_ended(&key.key)?;
                Caller::holder(&key)
            }
        };
        Ok(parent.in_session(&session))
    }
}

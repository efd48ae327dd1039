//! Who is calling, and what they may do.

use reflect_core::{ApiKey, KeyId, KeyStatus, NewReview, ProjectId, ReviewSource, Scope, Session, Timestamp};
use reflect_store::KeyWithHash;

use super::secrets;
use crate::{AuditEvent, Engine, EngineError, EngineResult};

/// Someone whose key was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The key.
    pub key_id: KeyId,
    /// The key that its reviews are of: behind a session the one that it stands for.
    reporter: KeyId,
    public_id: String,
    bound_to: Option<ProjectId>,
    scopes: Vec<Scope>,
    label: String,
    /// When it ends by itself, if it does.
    expires_at: Option<Timestamp>,
    /// How long the keys that it makes may last: as long as itself, or as the key behind a session.
    hands_on_until: Option<Timestamp>,
    is_session: bool,
}

/// Who asks, and in which project.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// Whose key it is.
    pub caller: &'a Caller,
    /// The project that is asked about.
    pub project_id: &'a ProjectId,
}

/// Why a key was not recognised.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// No such key, or the wrong secret.
    #[error("the API key is not valid")]
    Unknown,
    /// It was valid once.
    #[error("the API key was revoked")]
    Revoked,
    /// Its time is over.
    #[error("the API key expired at {0}; make another, or sign in again")]
    Expired(Timestamp),
    /// It could not be looked up.
    #[error(transparent)]
    Store(#[from] reflect_store::StoreError),
}

impl Caller {
    /// The holder of the master key, who may do everything everywhere.
    pub fn master() -> Self {
        Self {
            key_id: KeyId::MASTER,
            reporter: KeyId::MASTER,
            public_id: "master".to_owned(),
            bound_to: None,
            scopes: Scope::ALL.to_vec(),
            label: "master key".to_owned(),
            expires_at: None,
            hands_on_until: None,
            is_session: false,
        }
    }

    pub(super) fn holder(key: &KeyWithHash) -> Self {
        let key = &key.key;
        Self {
            key_id: key.id,
            reporter: key.id,
            public_id: key.public_id.clone(),
            bound_to: Some(key.project_id.clone()),
            scopes: key.scopes.clone(),
            label: key.label.clone(),
            expires_at: key.expires_at,
            hands_on_until: key.expires_at,
            is_session: false,
        }
    }

    /// The same rights in a session of the console.
    pub(super) fn in_session(self, session: &Session) -> Self {
        let (key_id, public_id) = (session.id, session.public_id.clone());
        Self { key_id, public_id, expires_at: Some(session.expires_at), is_session: true, ..self }
    }

    /// The part of the key that names it; `master` for the master key.
    pub fn public_id(&self) -> &str {
        &self.public_id
    }

    /// What people call the key; of a session, the key behind it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What the key may do.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// When the key or the session ends by itself, if it does.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// Whether this is a session of the console.
    pub fn is_session(&self) -> bool {
        self.is_session
    }

    pub(crate) fn reporter(&self) -> KeyId {
        self.reporter
    }

    /// Where a review comes from that is made with this key: from the console if it is a session, whatever the review says.
    pub(crate) fn source_of(&self, review: &NewReview) -> ReviewSource {
        if self.is_session { ReviewSource::Console } else { review.source }
    }

    /// The one project that the key is bound to; `None` for the master key.
    pub fn bound_to(&self) -> Option<&ProjectId> {
        self.bound_to.as_ref()
    }

    /// Whether this is the master key, or a session of it.
    pub fn is_master(&self) -> bool {
        self.bound_to.is_none()
    }

    /// How long the keys that it makes may last; `None` is without end.
    pub(crate) fn hands_on_until(&self) -> Option<Timestamp> {
        self.hands_on_until
    }

    /// Whether the key has a scope, or one that covers it.
    pub fn has(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|held| held.covers(scope))
    }

    /// Refuses unless the key may do this in that project. Another project's key learns nothing about it.
    pub fn require(&self, scope: Scope, project_id: &ProjectId) -> EngineResult<()> {
        if self.bound_to.as_ref().is_some_and(|bound| bound != project_id) {
            return Err(EngineError::OtherProject);
        }
        if !self.has(scope) {
            return Err(EngineError::MissingScope(scope));
        }
        Ok(())
    }
}

impl Engine {
    /// Refuses unless the key may do this in that project. What is still there of a deleted project is out of everybody's reach.
    pub(crate) fn admit(&self, asker: Asker<'_>, scope: Scope) -> EngineResult<()> {
        asker.caller.require(scope, asker.project_id)?;
        if self.store.is_being_erased(asker.project_id) {
            return Err(EngineError::being_erased(asker.project_id));
        }
        Ok(())
    }

    /// Recognises a key by its text.
    pub async fn authenticate(&self, text: &str) -> Result<Caller, AuthError> {
        if self.master_key.matches(text) {
            return Ok(Caller::master());
        }
        let parsed = secrets::KeyText::parse(text).ok_or(AuthError::Unknown)?;
        if parsed.public_id.starts_with(secrets::SESSION_MARK) {
            return self.authenticate_session(&parsed).await;
        }
        let key = self.coordination.find_key(parsed.public_id).await?.ok_or(AuthError::Unknown)?;
        if !secrets::secret_matches(parsed.secret, &key.secret_hash) {
            return Err(AuthError::Unknown);
        }
        self.refuse_ended(&key.key)?;
        let first_seen = self.coordination.key_used(key.key.id, self.now());
        if first_seen && key.key.last_used_at.is_none() {
            self.audit(&AuditEvent::KeyFirstUsed { key: &key.key.public_id, project: &key.key.project_id });
        }
        Ok(Caller::holder(&key))
    }

    /// Refuses a key that was revoked or whose time is over.
    pub(super) fn refuse_ended(&self, key: &ApiKey) -> Result<(), AuthError> {
        match (key.status(self.now()), key.expires_at) {
            (KeyStatus::Revoked, _) => Err(AuthError::Revoked),
            (KeyStatus::Expired, Some(expires_at)) => Err(AuthError::Expired(expires_at)),
            _ => Ok(()),
        }
    }
}

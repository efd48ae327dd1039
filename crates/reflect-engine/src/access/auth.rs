//! Who is calling, and what they may do.

use reflect_core::{KeyId, KeyStatus, ProjectId, Scope};
use reflect_store::KeyWithHash;

use super::secrets;
use crate::{AuditEvent, Engine, EngineError, EngineResult};

/// Someone whose key was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The key.
    pub key_id: KeyId,
    public_id: String,
    bound_to: Option<ProjectId>,
    scopes: Vec<Scope>,
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
    /// It could not be looked up.
    #[error(transparent)]
    Store(#[from] reflect_store::StoreError),
}

impl Caller {
    /// The holder of the master key, who may do everything everywhere.
    pub fn master() -> Self {
        Self { key_id: KeyId::MASTER, public_id: "master".to_owned(), bound_to: None, scopes: Scope::ALL.to_vec() }
    }

    fn holder(key: &KeyWithHash) -> Self {
        let key = &key.key;
        Self {
            key_id: key.id,
            public_id: key.public_id.clone(),
            bound_to: Some(key.project_id.clone()),
            scopes: key.scopes.clone(),
        }
    }

    /// The part of the key that names it; `master` for the master key.
    pub fn public_id(&self) -> &str {
        &self.public_id
    }

    /// The one project that the key is bound to; `None` for the master key.
    pub fn bound_to(&self) -> Option<&ProjectId> {
        self.bound_to.as_ref()
    }

    /// Whether this is the master key.
    pub fn is_master(&self) -> bool {
        self.bound_to.is_none()
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
        let key = match self.coordination.known_key(parsed.public_id) {
            Ok(key) => key,
            Err(generation) => {
                let found = self.store.get_key_by_public_id(parsed.public_id.to_owned()).await?;
                let key = found.ok_or(AuthError::Unknown)?;
                self.coordination.remember_key(generation, key.clone());
                key
            }
        };
        if !secrets::secret_matches(parsed.secret, &key.secret_hash) {
            return Err(AuthError::Unknown);
        }
        if key.key.status() == KeyStatus::Revoked {
            return Err(AuthError::Revoked);
        }
        let first_seen = self.coordination.key_used(key.key.id, self.now());
        if first_seen && key.key.last_used_at.is_none() {
            self.audit(&AuditEvent::KeyFirstUsed { key: &key.key.public_id, project: &key.key.project_id });
        }
        Ok(Caller::holder(&key))
    }
}

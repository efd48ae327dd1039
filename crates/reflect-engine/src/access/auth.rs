//! Who is calling, and what they may do.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use reflect_core::{KeyId, KeyStatus, ProjectId, Scope, Timestamp};
use reflect_store::KeyWithHash;

use super::secrets;
use crate::{Engine, EngineError, EngineResult};

/// `last_used_at` is kept to this many milliseconds, so that a busy key costs one write a minute.
const TOUCH_EVERY_MILLIS: u64 = 60_000;

/// Someone whose key was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The key.
    pub key_id: KeyId,
    bound_to: Option<ProjectId>,
    scopes: Vec<Scope>,
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
        Self { key_id: KeyId::MASTER, bound_to: None, scopes: Scope::ALL.to_vec() }
    }

    fn holder(key: &KeyWithHash) -> Self {
        Self { key_id: key.key.id, bound_to: Some(key.key.project_id.clone()), scopes: key.key.scopes.clone() }
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

/// When keys were last used.
#[derive(Default)]
pub(crate) struct KeyUses {
    used: Mutex<HashMap<KeyId, Used>>,
}

#[derive(Clone, Copy)]
struct Used {
    at: Timestamp,
    /// The time that the database knows, or is about to.
    written: Option<Timestamp>,
}

impl KeyUses {
    fn touch(&self, key_id: KeyId, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.entry(key_id).and_modify(|used| used.at = now).or_insert(Used { at: now, written: None });
    }

    /// When a key was last used, if this process saw it.
    pub(crate) fn last_used(&self, key_id: KeyId) -> Option<Timestamp> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).get(&key_id).map(|used| used.at)
    }

    /// The uses that are worth a write now; they count as written from here on.
    fn due(&self, all: bool) -> Vec<(KeyId, Timestamp)> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |used: &Used| match used.written {
            None => true,
            Some(written) => used.at > written && (all || used.at.millis_since(written) >= TOUCH_EVERY_MILLIS),
        };
        let due: Vec<_> = used.iter().filter(|(_, used)| is_due(used)).map(|(id, used)| (*id, used.at)).collect();
        used.values_mut().filter(|used| is_due(used)).for_each(|used| used.written = Some(used.at));
        due
    }
}

impl Engine {
    /// Recognises a key by its text.
    pub async fn authenticate(&self, text: &str) -> Result<Caller, AuthError> {
        if self.master_key.matches(text) {
            return Ok(Caller::master());
        }
        let parsed = secrets::KeyText::parse(text).ok_or(AuthError::Unknown)?;
        let key = match self.keys.get(parsed.public_id) {
            Ok(key) => key,
            Err(generation) => {
                let found = self.store.get_key_by_public_id(parsed.public_id.to_owned()).await?;
                let key = found.ok_or(AuthError::Unknown)?;
                self.keys.put(generation, parsed.public_id.to_owned(), key.clone());
                key
            }
        };
        if !secrets::secret_matches(parsed.secret, &key.secret_hash) {
            return Err(AuthError::Unknown);
        }
        if key.key.status() == KeyStatus::Revoked {
            return Err(AuthError::Revoked);
        }
        self.key_uses.touch(key.key.id, self.now());
        Ok(Caller::holder(&key))
    }

    /// Hands the last uses of keys to the store: those that are a minute old, or `all`.
    pub(crate) async fn write_key_uses(&self, all: bool) -> EngineResult<()> {
        let due = self.key_uses.due(all);
        if !due.is_empty() {
            self.store.touch_keys(due).await?;
        }
        Ok(())
    }
}

//! Making, listing and revoking keys.

use std::time::Duration;

use reflect_core::{ApiKey, Environment, KeyId, ProjectId, Scope, may_hand_on_until};
use reflect_store::{IdempotencyKey, KeyInsert, Once};

use super::{
    Asker,
    secrets::{self, KeyText},
};
use crate::{AuditEvent, Changed, Engine, EngineError, EngineResult};

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Its label for real or trial use.
    pub environment: Environment,
    /// For how long it is to open anything; without end if `None`.
    pub expires_in: Option<Duration>,
}

/// A key that was just made: the one moment when its text is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedKey {
    /// The whole text, secret included.
    pub plain_text: String,
    /// What is stored of it.
    pub key: ApiKey,
}

impl Engine {
    /// Makes a key for a project. A key hands on only scopes that it has itself.
    pub async fn create_key(
        &self,
        asker: Asker<'_>,
        new_key: NewKey,
        idempotency: Option<IdempotencyKey>,
    ) -> EngineResult<CreatedKey> {
        let Asker { caller, project_id } = asker;
        self.admit(asker, Scope::KeysWrite)?;
        if let Some(missing) = new_key.scopes.iter().find(|scope| !caller.has(**scope)) {
            return Err(EngineError::ScopeNotHeld(*missing));
        }
        self.open_project(asker).await?;
        let (nonce, insert) = self.generate_key(project_id, new_key);
        if !may_hand_on_until(asker.caller.hands_on_until(), insert.key.expires_at) {
            return Err(EngineError::TimeNotHeld { until: asker.caller.hands_on_until() });
        }
        let idempotency = idempotency.map(|key| secrets::asked_by(caller.key_id, key));
        let stored = self.store.insert_key(insert.clone(), secrets::hex(&nonce), idempotency).await?;
        match stored {
            Some(Once::First(_)) => {
                self.audit_new_key(caller.public_id(), &insert.key);
                self.coordination.note_change(asker.project_id, Changed::SETTINGS);
                Ok(self.reveal(insert.key, &nonce))
            }
            Some(Once::Again((key_id, nonce))) => self.reveal_again(project_id, key_id, &nonce).await,
            Some(Once::KeyReused) => Err(EngineError::IdempotencyKeyReused),
            None => {
                self.coordination.forget_projects();
                Err(EngineError::no_project(project_id))
            }
        }
    }

    /// A project's keys, oldest first, revoked ones included.
    pub async fn list_keys(&self, asker: Asker<'_>) -> EngineResult<Vec<ApiKey>> {
        self.admit(asker, Scope::KeysWrite)?;
        self.open_project(asker).await?;
        let keys = self.store.list_keys(asker.project_id.clone()).await?;
        Ok(keys.into_iter().map(|key| self.with_last_use(key)).collect())
    }

    /// Revokes a key. Idempotent: revoking twice answers the same key.
    pub async fn revoke_key(&self, asker: Asker<'_>, key_id: KeyId) -> EngineResult<ApiKey> {
        let Asker { caller, project_id } = asker;
        self.admit(asker, Scope::KeysWrite)?;
        let revoked = self.store.revoke_key(project_id.clone(), key_id, self.now()).await?;
        self.coordination.forget_keys();
        let key =
            revoked.ok_or_else(|| EngineError::NotFound(format!("there is no key `{key_id}` in this project")))?;
        self.coordination.note_change(asker.project_id, Changed::SETTINGS);
        self.audit(&AuditEvent::KeyRevoked { by: caller.public_id(), project: project_id, key: &key.public_id });
        Ok(self.with_last_use(key))
    }

    pub(crate) fn audit_new_key(&self, by: &str, key: &ApiKey) {
        let ApiKey { project_id: project, public_id, label, scopes, expires_at, .. } = key;
        self.audit(&AuditEvent::KeyCreated { by, project, key: public_id, label, scopes, expires_at: *expires_at });
    }

    /// Generates a key; nothing is stored yet. Its secret can be derived again from the nonce.
    pub(crate) fn generate_key(&self, project_id: &ProjectId, new_key: NewKey) -> ([u8; 16], KeyInsert) {
        let mut nonce = [0_u8; 16];
        self.entropy.fill(&mut nonce);
        let now = self.now();
        let mut scopes = new_key.scopes;
        scopes.sort_unstable();
        scopes.dedup();
        let key = ApiKey {
            id: KeyId::mint(now, &*self.entropy),
            project_id: project_id.clone(),
            public_id: secrets::random_public_id(&*self.entropy),
            label: new_key.label,
            scopes,
            environment: new_key.environment,
            created_at: now,
            last_used_at: None,
            revoked_at: None,
            expires_at: new_key.expires_in.map(|time| now.plus(time)),
        };
        let secret_hash = secrets::secret_hash(&self.master_key.derive_secret(&nonce));
        (nonce, KeyInsert { key, secret_hash })
    }

    pub(crate) fn reveal(&self, key: ApiKey, nonce: &[u8; 16]) -> CreatedKey {
        let secret = self.master_key.derive_secret(nonce);
        CreatedKey { plain_text: KeyText::write(key.environment, &key.public_id, &secret), key }
    }

    /// Gives the answer of an earlier, equal request, as long as the master key is still the one it was derived from.
    async fn reveal_again(&self, project_id: &ProjectId, key_id: KeyId, nonce: &str) -> EngineResult<CreatedKey> {
        let stored = self.store.get_key(project_id.clone(), key_id).await?.ok_or(EngineError::SecretGone)?;
        let nonce = parse_nonce(nonce).ok_or(EngineError::SecretGone)?;
        let created = self.reveal(stored.key, &nonce);
        let secret = self.master_key.derive_secret(&nonce);
        if !secrets::secret_matches(&secret, &stored.secret_hash) {
            return Err(EngineError::SecretGone);
        }
        Ok(created)
    }

    fn with_last_use(&self, mut key: ApiKey) -> ApiKey {
        key.last_used_at = self.coordination.key_last_used(key.id).max(key.last_used_at);
        key
    }
}

fn parse_nonce(hex: &str) -> Option<[u8; 16]> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    bytes?.try_into().ok()
}

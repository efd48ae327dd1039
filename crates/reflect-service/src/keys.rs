//! Keys.

use std::time::Duration;

use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, KeyAnswer};
use reflect_core::{ApiKey, Environment, KeyId};
use reflect_engine::{IdempotencyKey, NewKey};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// Makes a key; its secret is in this answer alone.
    pub async fn create_key(
        &self,
        asker: Asker<'_>,
        request: CreateKeyRequest,
        idempotency: Option<IdempotencyKey>,
    ) -> ServiceResult<CreatedKeyAnswer> {
        request.check(&self.limits)?;
        let new_key = NewKey {
            label: request.label,
            scopes: request.scopes,
            environment: request.environment.unwrap_or(Environment::Live),
            expires_in: request.expires_in_seconds.map(Duration::from_secs),
        };
        let created = self.engine.create_key(asker, new_key, idempotency).await?;
        Ok(CreatedKeyAnswer { api_key: created.plain_text, key: self.key_answer(created.key) })
    }

    /// The project's keys.
    pub async fn list_keys(&self, asker: Asker<'_>) -> ServiceResult<Vec<KeyAnswer>> {
        let keys = self.engine.list_keys(asker).await?;
        Ok(keys.into_iter().map(|key| self.key_answer(key)).collect())
    }

    /// Revokes a key.
    pub async fn revoke_key(&self, asker: Asker<'_>, key_id: KeyId) -> ServiceResult<KeyAnswer> {
        Ok(self.key_answer(self.engine.revoke_key(asker, key_id).await?))
    }

    fn key_answer(&self, key: ApiKey) -> KeyAnswer {
        KeyAnswer::new(key, self.engine.now())
    }
}

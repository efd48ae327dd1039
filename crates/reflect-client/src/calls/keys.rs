//! Keys.

use std::time::Duration;

use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, KeyAnswer};
use reflect_core::{Environment, Scope};

use crate::{ReflectClient, Result, setters::setters, world::Named};

/// A key to be made. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// use reflect_client::{Environment, Scope};
///
/// let key = client.create_key("ci", [Scope::MemoryRead, Scope::TraceWrite]).environment(Environment::Test);
/// let made = key.await?;
/// println!("{}", made.key.public_id);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a key is made by awaiting it"]
pub struct CreateKey {
    client: ReflectClient,
    request: CreateKeyRequest,
    idempotency_key: Option<String>,
}

impl ReflectClient {
    /// Makes a key with these scopes; its secret is in the answer, this once.
    pub fn create_key(&self, label: impl Into<String>, scopes: impl IntoIterator<Item = Scope>) -> CreateKey {
        let scopes = scopes.into_iter().collect();
        let request = CreateKeyRequest { label: label.into(), scopes, environment: None, expires_in_seconds: None };
        CreateKey { client: self.clone(), request, idempotency_key: None }
    }

    /// The project's keys, without their secrets.
    pub async fn list_keys(&self) -> Result<Vec<KeyAnswer>> {
        self.world.list_keys(&self.project_id).await
    }

    /// Revokes a key.
    pub async fn revoke_key(&self, key_id: impl AsRef<str>) -> Result<KeyAnswer> {
        self.world.revoke_key(&self.project_id, key_id.as_ref()).await
    }
}

setters! { CreateKey:
    /// `live` or `test`: a label, nothing more.
    environment(Environment) => request.environment;
    /// A name for this request, so that sending it twice makes one key. Calls get one of their own.
    idempotency_key(text) => idempotency_key;
}

impl CreateKey {
    /// For how long it opens anything, to the second; without end when unset.
    pub fn expires_in(mut self, time: Duration) -> Self {
        self.request.expires_in_seconds = Some(time.as_secs());
        self
    }

    pub(super) async fn send(self) -> Result<CreatedKeyAnswer> {
        let request = Named { request: self.request, name: self.idempotency_key };
        self.client.world.create_key(&self.client.project_id, request).await
    }
}

//! The HTTP client that all models share.

use reqwest::{Client, ClientBuilder};

use super::ConnectError;

/// Connections to providers. Cloning shares them, so one is enough for a process.
#[derive(Debug, Clone)]
pub struct HttpClient(pub(super) Client);

impl HttpClient {
    /// A client that trusts the authorities that browsers trust, and takes the proxies that the environment names.
    pub fn new() -> Result<Self, ConnectError> {
        Self::build(|builder| builder)
    }

    /// The same without any proxy: for endpoints on this machine.
    pub fn without_proxy() -> Result<Self, ConnectError> {
        Self::build(ClientBuilder::no_proxy)
    }

    fn build(finish: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<Self, ConnectError> {
        let builder = reflect_http::client_builder().map_err(|error| ConnectError::Client(error.to_string()))?;
        let client = finish(builder).build().map_err(|error| ConnectError::Client(error.to_string()))?;
        Ok(Self(client))
    }
}

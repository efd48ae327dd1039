//! The HTTP client that all models share.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, ClientBuilder, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::ConnectError;

/// How long it may take to be connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections to providers. Cloning shares them, so one is enough for a process.
#[derive(Debug, Clone)]
pub struct HttpClient(pub(super) Client);

impl HttpClient {
    /// A client that trusts the authorities that browsers trust, and takes the proxies that the environment names.
    pub fn new() -> Result<Self, ConnectError> {
        Self::build(Client::builder())
    }

    /// The same without any proxy: for endpoints on this machine.
    pub fn without_proxy() -> Result<Self, ConnectError> {
        Self::build(Client::builder().no_proxy())
    }

    fn build(builder: ClientBuilder) -> Result<Self, ConnectError> {
        let client = builder
            .tls_backend_preconfigured(tls()?)
            .connect_timeout(CONNECT_TIMEOUT)
            // A key is meant for the endpoint that the operator named, and for nobody to whom that one points.
            .redirect(Policy::none())
            .user_agent("reflect")
            .build()
            .map_err(|error| ConnectError::Client(error.to_string()))?;
        Ok(Self(client))
    }
}

/// rustls over ring, with Mozilla's roots built in: no C library to be found at run time, and one small build.
fn tls() -> Result<ClientConfig, ConnectError> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ConnectError::Client(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

//! The HTTP client that every part of Reflect starts from: models, embedders over HTTP, the SDK.
//!
//! TLS is rustls over ring with Mozilla's roots built in: no C library to be found at run time, and one small build. What a
//! caller adds, time limits, proxies, keys, is the caller's.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, ClientBuilder, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// How long it may take to be connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client to be finished by its user. It follows no redirect: a key is meant for the endpoint that was named, and for nobody
/// to whom that one points.
pub fn client_builder() -> Result<ClientBuilder, rustls::Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .user_agent("reflect"))
}

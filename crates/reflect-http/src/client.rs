//! Clients, and which of them a URL is reached by.

use std::{net::IpAddr, sync::Arc, time::Duration};

use reqwest::{Client, ClientBuilder, Url, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// How long it may take to be connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why no HTTP client could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no HTTP client: {0}")]
pub struct NoClient(String);

/// Connections to any number of servers. Cloning shares them, so one is enough for a process.
#[derive(Debug, Clone)]
pub struct HttpClient {
    direct: Client,
    proxied: Client,
}

impl HttpClient {
    /// A client that trusts the authorities that browsers trust, and takes the proxies that the environment names for everything
    /// but loopback.
    pub fn new() -> Result<Self, NoClient> {
        let direct = finished(builder()?.no_proxy())?;
        Ok(Self { direct, proxied: finished(builder()?)? })
    }

    /// The client to reach this URL by.
    pub fn for_url(&self, url: &Url) -> &Client {
        if is_loopback(url) { &self.direct } else { &self.proxied }
    }
}

/// A client for the server at this URL and for no other, with what `finish` adds. It follows no redirect: a key is meant for the
/// endpoint that was named, and for nobody to whom that one points.
pub fn client_for(url: &Url, finish: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<Client, NoClient> {
    let builder = builder()?;
    finished(finish(if is_loopback(url) { builder.no_proxy() } else { builder }))
}

/// A proxy has no business between two programs on one machine.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    // A server that listens on every address is announced as `0.0.0.0`, which reaches this machine.
    host == "localhost" || address.is_ok_and(|ip| ip.to_canonical().is_loopback() || ip.is_unspecified())
}

fn builder() -> Result<ClientBuilder, NoClient> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| NoClient(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .user_agent("reflect"))
}

fn finished(builder: ClientBuilder) -> Result<Client, NoClient> {
    builder.build().map_err(|error| NoClient(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_however_it_is_written() {
        let is_loopback = |url: &str| is_loopback(&Url::parse(url).unwrap());
        for url in [
            "http://localhost",
            "http://LOCALHOST:8000/v1",
            "https://127.0.0.1:8080/v1",
            "http://127.1.2.3",
            "http://[::1]:11434",
            "http://[::ffff:127.0.0.1]:11434",
            "http://0.0.0.0:8000",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "https://api.openai.com/v1",
            "http://localhost.example.com/v1",
            "http://127.0.0.1.example.com",
            "http://10.0.0.1",
            "http://[fe80::1]",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}

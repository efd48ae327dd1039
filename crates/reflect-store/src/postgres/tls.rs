//! TLS, as far as the URL wants it.

use std::{
    io,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    Socket,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_rustls::TlsConnector;

use crate::error::{StoreError, StoreResult};

/// What is asked of the server's certificate, in the words of `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verify {
    /// Nothing: the connection is private, and it may be with anybody.
    Nothing,
    /// That an authority has signed it.
    Authority,
    /// That it is this server's, too.
    Full,
}

/// Makes connections private.
#[derive(Clone)]
pub(super) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the authorities in the file `roots`, or those that browsers trust.
    pub(super) fn new(verify: Verify, roots: Option<&Path>) -> StoreResult<Self> {
        let provider = Arc::new(ring::default_provider());
        let broken = |error: rustls::Error| StoreError::Unavailable(format!("TLS: {error}"));
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().map_err(broken)?;
        let roots = match roots {
            Some(path) => read_roots(path)?,
            None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
        };
        let config = if verify == Verify::Full {
            builder.with_root_certificates(roots).with_no_client_auth()
        } else {
            let authority = match verify {
                Verify::Nothing => None,
                _ => Some(
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                        .build()
                        .map_err(|error| StoreError::Unavailable(format!("TLS: {error}")))?,
                ),
            };
            let lenient = Arc::new(Lenient { authority, provider });
            builder.dangerous().with_custom_certificate_verifier(lenient).with_no_client_auth()
        };
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

fn read_roots(path: &Path) -> StoreResult<RootCertStore> {
    let unread = |error: &dyn std::fmt::Display| StoreError::BadUrl(format!("`sslrootcert` cannot be read: {error}"));
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(path).map_err(|error| unread(&error))? {
        roots.add(root.map_err(|error| unread(&error))?).map_err(|error| unread(&error))?;
    }
    Ok(roots)
}

/// Takes a certificate whatever name it bears, and whoever signed it if there is no authority to ask.
#[derive(Debug)]
struct Lenient {
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Private;
    type TlsConnect = ToServer;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Self::TlsConnect, Self::Error> {
        Ok(ToServer { connector: self.0.clone(), name: ServerName::try_from(domain)?.to_owned() })
    }
}

/// A handshake to come.
pub(super) struct ToServer {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for ToServer {
    type Stream = Private;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Private>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(|stream| Private(Box::new(stream))) })
    }
}

/// A private connection.
pub(super) struct Private(Box<tokio_rustls::client::TlsStream<Socket>>);

impl TlsStream for Private {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Private {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Private {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

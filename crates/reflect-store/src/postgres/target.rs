//! Where the database is, and how it is reached.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use percent_encoding::percent_decode_str;
use tokio_postgres::{Client, Config, Connection, Socket, config::SslMode, tls::MakeTlsConnect};

use super::{
    error::unreachable,
    tls::{Tls, Verify},
};
use crate::error::{StoreError, StoreResult};

/// How long it may take to be connected, unless the URL says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a server may leave what it was sent unanswered by its machine, before the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(15);

/// A client, and what reads from and writes to the network for it.
type Connected = (Client, Connection<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>);

/// A database.
#[derive(Clone)]
pub(crate) struct Target(Arc<(Config, Tls)>);

impl Target {
    /// Reads a URL. What is wrong with it is said without its password.
    pub(crate) fn parse(url: &str) -> StoreResult<Self> {
        let (url, wish) = TlsWish::split_off(url)?;
        let mut config = Config::from_str(&url).map_err(|error| {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            StoreError::BadUrl(format!("{error}{source}"))
        })?;
        config.ssl_mode(wish.mode);
        config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 3).keepalives_retries(3);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("reflect");
        }
        Ok(Self(Arc::new((config, Tls::new(wish.verify, wish.roots.as_deref())?))))
    }

    pub(super) fn config(&self) -> &Config {
        &self.0.0
    }

    pub(super) fn tls(&self) -> Tls {
        self.0.1.clone()
    }

    /// Connects. Its machine may take a connection and nobody there answer, so all of it has as much time as the machines have, and once more.
    pub(super) async fn connect(&self) -> StoreResult<Connected> {
        let config = self.config();
        let each = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        let patience = each.saturating_mul(config.get_hosts().len() as u32 + 1);
        match tokio::time::timeout(patience, config.connect(self.tls())).await {
            Ok(connected) => connected.map_err(|error| unreachable(&error)),
            Err(_) => Err(StoreError::Unavailable("it takes too long to let anybody in".into())),
        }
    }
}

/// What a URL says about TLS.
struct TlsWish {
    mode: SslMode,
    verify: Verify,
    roots: Option<PathBuf>,
}

impl TlsWish {
    /// Takes `sslmode` and `sslrootcert` out of a URL: the rest is read by others, who do not know all of it.
    fn split_off(url: &str) -> StoreResult<(String, Self)> {
        let mut wish = Self { mode: SslMode::Prefer, verify: Verify::Nothing, roots: None };
        let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), wish)) };
        let mut rest = Vec::new();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslmode", mode)) => (wish.mode, wish.verify) = read_mode(mode)?,
                Some(("sslrootcert", path)) => {
                    let path = percent_decode_str(path).decode_utf8();
                    let path = path.map_err(|error| StoreError::BadUrl(format!("`sslrootcert`: {error}")))?;
                    wish.roots = Some(PathBuf::from(path.into_owned()));
                }
                _ => rest.push(pair),
            }
        }
        // As with `psql`: whoever names an authority wants it asked.
        if wish.roots.is_some() && wish.mode == SslMode::Require && wish.verify == Verify::Nothing {
            wish.verify = Verify::Authority;
        }
        let url = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
        Ok((url, wish))
    }
}

fn read_mode(mode: &str) -> StoreResult<(SslMode, Verify)> {
    Ok(match mode {
        "disable" => (SslMode::Disable, Verify::Nothing),
        "prefer" => (SslMode::Prefer, Verify::Nothing),
        "require" => (SslMode::Require, Verify::Nothing),
        "verify-ca" => (SslMode::Require, Verify::Authority),
        "verify-full" => (SslMode::Require, Verify::Full),
        other => {
            let known = "`disable`, `prefer`, `require`, `verify-ca` and `verify-full`";
            return Err(StoreError::BadUrl(format!("`sslmode` is `{other}`; there are {known}")));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_as_the_url_says() {
        let read = |url: &str| {
            let (rest, wish) = TlsWish::split_off(url).unwrap();
            (rest, wish.mode, wish.verify)
        };
        let url = "postgres://u@h/d";
        assert_eq!(read(url), (url.into(), SslMode::Prefer, Verify::Nothing));
        assert_eq!(read(&format!("{url}?sslmode=verify-full")), (url.into(), SslMode::Require, Verify::Full));
        let with_roots = format!("{url}?sslmode=require&sslrootcert=%2Fca.pem&connect_timeout=3");
        assert_eq!(read(&with_roots), (format!("{url}?connect_timeout=3"), SslMode::Require, Verify::Authority));
        assert!(TlsWish::split_off("postgres://h/d?sslmode=maybe").is_err());
    }

    #[test]
    fn a_url_that_is_none_is_refused_without_its_password() {
        for url in ["postgres://u:secret@h:notaport/d", "nonsense", "postgres://u:secret@h/d?unknown=1"] {
            let error = Target::parse(url).err().unwrap().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_not_waited_for() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = silent.local_addr().unwrap();
        let target = Target::parse(&format!("postgres://reflect@{address}/reflect?connect_timeout=1")).unwrap();
        let connected = tokio::time::timeout(Duration::from_secs(60), target.connect()).await;
        let refused = connected.expect("it gives up").err();
        assert!(matches!(refused, Some(StoreError::Unavailable(_))), "{refused:?}");
    }
}

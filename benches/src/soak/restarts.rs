//! The server, which dies and comes back at another address.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tokio::{sync::watch, time::Instant};

use crate::server::{Resident, Server};

/// Where the server listens; empty while it is down.
pub(super) type Seen = watch::Receiver<String>;

/// The server and those who want to know where it is.
pub(super) struct Restarts {
    data: PathBuf,
    settings: &'static [(&'static str, &'static str)],
    server: Option<Server>,
    address: watch::Sender<String>,
    /// Whether the next restart is by SIGKILL.
    kills_next: bool,
}

impl Restarts {
    pub(super) async fn start(data: &Path) -> anyhow::Result<Self> {
        Self::start_with(data, &[]).await
    }

    /// Starts it with these settings of its environment.
    pub(super) async fn start_with(
        data: &Path,
        settings: &'static [(&'static str, &'static str)],
    ) -> anyhow::Result<Self> {
        let address = watch::Sender::default();
        let mut restarts = Self { data: data.to_owned(), settings, server: None, address, kills_next: true };
        restarts.begin().await?;
        Ok(restarts)
    }

    /// Stops it for good.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        let server = self.server.take().context("there is no server")?;
        tokio::task::spawn_blocking(move || server.terminate()).await?
    }

    pub(super) fn seen(&self) -> Seen {
        self.address.subscribe()
    }

    pub(super) fn address(&self) -> String {
        self.address.borrow().clone()
    }

    pub(super) fn resident(&self) -> Option<Resident> {
        self.server.as_ref().and_then(|server| server.resident().ok())
    }

    /// Stops the server, starts it over the same data, and says how long both took.
    pub(super) async fn restart(&mut self) -> anyhow::Result<String> {
        self.address.send_replace(String::new());
        let begun = Instant::now();
        let server = self.server.take().context("there is no server")?;
        let kills = self.kills_next;
        self.kills_next = !kills;
        let stop = move || if kills { server.kill() } else { server.terminate() };
        tokio::task::spawn_blocking(stop).await??;
        let stopped = begun.elapsed();
        self.begin().await?;
        let signal = if kills { "SIGKILL" } else { "SIGTERM" };
        let started = begun.elapsed() - stopped;
        Ok(format!("{signal}: gone after {:.2} s, back after {:.2} s", stopped.as_secs_f64(), started.as_secs_f64()))
    }

    async fn begin(&mut self) -> anyhow::Result<()> {
        let data = self.data.clone();
        let settings: Vec<_> = self.settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let server = tokio::task::spawn_blocking(move || Server::start_with(&data, &settings)).await??;
        self.address.send_replace(server.address.clone());
        self.server = Some(server);
        Ok(())
    }
}

/// Waits until the server is up, and says where.
pub(super) async fn up(seen: &mut Seen) -> String {
    match seen.wait_for(|address| !address.is_empty()).await {
        Ok(address) => address.clone(),
        Err(_) => String::new(),
    }
}

//! Leases: who uses a server that ends with its last user.
//!
//! A user keeps a connection to a Unix socket in the data folder. The kernel closes it when the user's process ends, however it ends, so
//! no lease outlives its holder. The server writes its address into each connection as soon as it answers requests: who has read
//! that line holds a lease, and who reads the end instead came too late. docs/operations.md says why it is a socket.

use std::{
    io::ErrorKind,
    os::{fd::AsRawFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use tokio::{
    net::{UnixListener, UnixStream},
    sync::watch,
    task::JoinSet,
};

/// The longest path of a socket that every system takes, in bytes.
const LONGEST_PATH: usize = 100;

/// How long nothing is accepted after it failed.
const PAUSE: Duration = Duration::from_millis(50);

/// The socket that users hold on to. Dropping it removes the file.
pub(crate) struct Leases {
    listener: UnixListener,
    path: PathBuf,
    /// How long the server waits for the next user.
    grace: Duration,
}

impl Leases {
    /// Opens the socket in a folder that we own. What a killed server left there is removed.
    pub(crate) fn open(folder: &Path, grace: Duration) -> anyhow::Result<Self> {
        let path = folder.join("lease.sock");
        let what = || format!("opening the socket `{}`", path.display());
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(what),
            _ => {}
        }
        let listener = bind(folder, &path).with_context(what)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).with_context(what)?;
        Ok(Self { listener, path, grace })
    }

    /// Tells users where the server is, counts them, and stops the server when there has been none for the grace period. Returns when
    /// the server stops, whoever asked for it; users who come afterwards find no socket.
    pub(crate) async fn until_unused(self, url: &str, stop: watch::Sender<bool>) {
        let mut stopping = stop.subscribe();
        let mut holders = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                accepted = self.listener.accept() => match accepted {
                    Ok((user, _)) => { holders.spawn(hold(user, format!("{url}\n"))); }
                    Err(error) => {
                        tracing::warn!(%error, "a lease could not be taken");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                Some(_) = holders.join_next() => {}
                () = tokio::time::sleep(self.grace), if holders.is_empty() => {
                    tracing::info!("stopping: the last user has gone");
                    // Nobody listens only where the server has stopped already.
                    let _ = stop.send(true);
                    return;
                }
                _ = stopping.wait_for(|stopping| *stopping) => return,
            }
        }
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        // The next server would remove it as well.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A socket's address holds about a hundred bytes. A longer path is taken from the folder, which Linux lets us name by its descriptor.
fn bind(folder: &Path, path: &Path) -> anyhow::Result<UnixListener> {
    if path.as_os_str().len() <= LONGEST_PATH {
        return Ok(UnixListener::bind(path)?);
    }
    anyhow::ensure!(cfg!(target_os = "linux"), "its path has more than {LONGEST_PATH} bytes; use a shorter one");
    let directory = std::fs::File::open(folder)?;
    Ok(UnixListener::bind(format!("/proc/self/fd/{}/lease.sock", directory.as_raw_fd()))?)
}

/// Ends when the user has gone.
async fn hold(user: UnixStream, greeting: String) {
    // The buffer of a new connection is empty, so the line goes in whole.
    if user.writable().await.is_err() || user.try_write(greeting.as_bytes()).is_err() {
        return;
    }
    while user.readable().await.is_ok() {
        match user.try_read(&mut [0; 64]) {
            Ok(0) => return,
            // Users have nothing to say.
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

//! The server of a data folder, for commands that speak to one: joined if it runs, started if not.
//!
//! A server that was started for this ends with its last user, as `leases.rs` says; this is the user's side of it.

use std::{
    io::{BufRead, BufReader, Read},
    os::{
        fd::AsRawFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;
use reflect_store::Owner;

use crate::home::FolderTaken;

/// How long a start may take. Only a database that is being migrated, or a machine that is very busy, comes near it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks whether a server that was just started has opened its socket.
const PAUSE: Duration = Duration::from_millis(5);

/// Before another one is started.
const LONG_PAUSE: Duration = Duration::from_millis(50);

/// How many seconds a server that was started here waits for its next user.
const GRACE_SECONDS: &str = "2";

/// The longest path of a socket that every system takes, in bytes.
const LONGEST_PATH: usize = 100;

/// A server that this process uses.
pub(crate) struct LocalServer {
    pub(crate) url: String,
    /// Keeps the server running. None with one that somebody runs by hand, which does not end with its users.
    _lease: Option<UnixStream>,
}

/// Joins the folder's server. Of several processes that start one at the same time, one succeeds, and the others join that.
pub(crate) fn join(folder: &Path, config: Option<&str>) -> anyhow::Result<LocalServer> {
    let deadline = Instant::now() + PATIENCE;
    let mut started: Option<Child> = None;
    while Instant::now() < deadline {
        if let Some(server) = join_by_lease(folder) {
            return Ok(server);
        }
        let ended = started.as_mut().map(Child::try_wait).transpose()?.flatten();
        let pause = match (&mut started, ended) {
            (None, _) => {
                started = Some(start(folder, config)?);
                PAUSE
            }
            (Some(_), None) => PAUSE,
            (Some(child), Some(status)) => {
                let is_taken = status.code() == Some(i32::from(FolderTaken::STATUS));
                if !is_taken && !status.success() {
                    anyhow::bail!("the server of `{}` does not start: {}", folder.display(), errors(child));
                }
                if is_taken && let Some(server) = join_by_address(folder) {
                    return Ok(server);
                }
                // The owner is about to end, or has only just begun; or our own was without users for too long.
                started = None;
                LONG_PAUSE
            }
        };
        std::thread::sleep(pause);
    }
    let seconds = PATIENCE.as_secs();
    anyhow::bail!("the server of `{}` did not answer within {seconds} s; see `server.log` there", folder.display())
}

/// Takes a lease; `None` where there is no server, or one that is about to end.
fn join_by_lease(folder: &Path) -> Option<LocalServer> {
    let lease = connect(folder).ok()?;
    lease.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut line = String::new();
    BufReader::new(&lease).read_line(&mut line).ok()?;
    let url = line.strip_suffix('\n')?.to_owned();
    Some(LocalServer { url, _lease: Some(lease) })
}

fn connect(folder: &Path) -> std::io::Result<UnixStream> {
    let path = folder.join("lease.sock");
    if path.as_os_str().len() <= LONGEST_PATH {
        return UnixStream::connect(path);
    }
    // Linux names an open folder by its descriptor.
    let directory = std::fs::File::open(folder)?;
    UnixStream::connect(format!("/proc/self/fd/{}/lease.sock", directory.as_raw_fd()))
}

/// Joins a server that gives no leases by the address in `owner.lock`. The file outlives the server, and another program may have its port
/// then; so it is believed only just after a process has heard that the folder is taken.
fn join_by_address(folder: &Path) -> Option<LocalServer> {
    let text = std::fs::read(folder.join("owner.lock")).ok()?;
    let url = serde_json::from_slice::<Owner>(&text).ok()?.url?;
    // A server that gives leases does so before it writes its address.
    join_by_lease(folder).or(Some(LocalServer { url, _lease: None }))
}

/// Starts a server that belongs to everybody who joins it, and outlives us if need be.
fn start(folder: &Path, config: Option<&str>) -> anyhow::Result<Child> {
    let binary = std::env::current_exe().context("finding this program again")?;
    let mut command = Command::new(binary);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
    command.args(config.iter().flat_map(|path| ["--config", path]));
    if std::env::var_os("REFLECT_UNTIL_UNUSED").is_none() {
        command.env("REFLECT_UNTIL_UNUSED", GRACE_SECONDS);
    }
    // Ctrl-C in a terminal ends the user, not the others' server: it goes to the terminal's group of processes.
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    quiet.spawn().context("starting a server")
}

/// What a server that has ended said on standard error.
fn errors(child: &mut Child) -> String {
    let mut said = Vec::new();
    if let Some(pipe) = &mut child.stderr {
        // What cannot be read is left out of a message that is about something else.
        let _ = pipe.read_to_end(&mut said);
    }
    String::from_utf8_lossy(&said).trim().trim_start_matches("reflect: ").to_owned()
}

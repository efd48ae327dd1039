//! A server that ends with its last user.

use std::{
    io::{BufRead, BufReader, Read},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{fs::PermissionsExt, net::UnixStream},
    },
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::json;

use crate::server_process::{PATIENCE, ServerProcess, eventually, run, serve};

const TRACES: &str = "/v1/projects/default/traces";

/// A lease, and where the server is that gave it.
struct Lease {
    stream: UnixStream,
    url: String,
}

impl Lease {
    /// Takes a lease of the server that has the folder, or will soon have it.
    #[track_caller]
    fn take(data: &Path) -> Self {
        eventually("there is a lease", || Self::try_take(data))
    }

    fn try_take(data: &Path) -> Option<Self> {
        // The folder by its descriptor, since the path of a socket must be short.
        let folder = std::fs::File::open(data).ok()?;
        let stream = UnixStream::connect(format!("/proc/self/fd/{}/lease.sock", folder.as_raw_fd())).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut url = String::new();
        BufReader::new(&stream).read_line(&mut url).ok()?;
        url.ends_with('\n').then(|| Self { stream, url: url.trim().to_owned() })
    }

    /// Whether the server has gone, which is waited for.
    fn is_over(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 8]), Ok(0))
    }
}

fn leased(data: &Path, grace: u32) -> Command {
    let mut command = serve(data);
    command.args(["--until-unused", &grace.to_string()]);
    command
}

/// A server with its first user, who was there before it answered: no grace period can be over by then.
#[track_caller]
fn start(data: &Path, grace: u32) -> (ServerProcess, Lease) {
    let waiting = std::thread::spawn({
        let data = data.to_owned();
        move || Lease::take(&data)
    });
    let server = ServerProcess::start_with(data, &mut leased(data, grace));
    let lease = waiting.join().unwrap();
    assert_eq!(lease.url, server.url);
    (server, lease)
}

#[track_caller]
fn store(server: &ServerProcess) {
    server.client().post(TRACES, &json!({"task": "find the report", "trajectory": "looked"})).unwrap().good();
}

#[track_caller]
fn stored(server: &ServerProcess) -> usize {
    server.client().get(TRACES).unwrap().good().as_array().unwrap().len()
}

#[test]
fn the_last_of_two_users_takes_the_server_along() {
    let folder = tempfile::tempdir().unwrap();
    let (server, first) = start(folder.path(), 1);
    let second = Lease::take(folder.path());
    drop(first);
    // Longer than the grace period: one user is enough.
    std::thread::sleep(Duration::from_millis(1_500));
    store(&server);
    drop(second);
    let (status, _) = server.end();
    assert_eq!(status.code(), Some(0));
    for left in ["lease.sock", "reflect.db-wal", "reflect.db-shm"] {
        assert!(!folder.path().join(left).exists(), "`{left}` was left");
    }
    let log = std::fs::read_to_string(folder.path().join("server.log")).unwrap();
    assert!(log.contains("the last user has gone"), "{log}");
    assert_eq!(stored(&ServerProcess::start(folder.path())), 1);
}

#[test]
fn a_lease_dies_with_its_holder_however_that_dies() {
    let folder = tempfile::tempdir().unwrap();
    let (server, lease) = start(folder.path(), 1);
    let mut holder = Command::new("sleep").arg("1000").stdin(Stdio::from(OwnedFd::from(lease.stream))).spawn().unwrap();
    store(&server);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(server.end().0.code(), Some(0));
}

#[test]
fn a_server_that_nobody_comes_to_ends() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(folder.path(), &mut leased(folder.path(), 1));
    assert_eq!(server.end().0.code(), Some(0));
}

#[test]
fn whoever_comes_in_the_grace_period_finds_the_same_server() {
    let folder = tempfile::tempdir().unwrap();
    let (server, first) = start(folder.path(), 600);
    let mode = std::fs::metadata(folder.path().join("lease.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(first);
    let mut second = Lease::take(folder.path());
    assert_eq!(second.url, server.url);
    let (status, _) = server.stop("-TERM");
    assert_eq!(status.code(), Some(0), "users do not hold up the end that an operator asks for");
    assert!(second.is_over());
    assert!(!folder.path().join("lease.sock").exists());
}

#[test]
fn users_hear_of_a_killed_server_and_the_next_one_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, mut lease) = start(folder.path(), 600);
    store(&server);
    server.kill();
    assert!(lease.is_over());
    assert!(folder.path().join("lease.sock").exists(), "nobody was left to remove it");
    assert!(Lease::try_take(folder.path()).is_none());
    let (server, _lease) = start(folder.path(), 600);
    assert_eq!(stored(&server), 1);
}

#[test]
fn of_servers_that_start_together_one_stays_and_the_others_say_so_by_their_status() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, ended) = std::sync::mpsc::channel();
    for _ in 0..5 {
        let (sender, mut command) = (sender.clone(), leased(folder.path(), 5));
        std::thread::spawn(move || sender.send(run(&mut command)));
    }
    let lease = Lease::take(folder.path());
    for _ in 0..4 {
        let loser = ended.recv().unwrap();
        assert_eq!(loser.status.code(), Some(3), "{loser:?}");
        assert!(loser.stderr.contains("is in use by process"), "{loser:?}");
    }
    drop(lease);
    let winner = ended.recv().unwrap();
    assert_eq!(winner.status.code(), Some(0), "{winner:?}");
    assert!(winner.stdout.contains("listening on"), "{winner:?}");
}

#[test]
fn a_folder_may_lie_deeper_than_the_address_of_a_socket_is_long() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("deep/".repeat(40));
    let (server, lease) = start(&data, 1);
    store(&server);
    drop(lease);
    assert_eq!(server.end().0.code(), Some(0));
    assert!(!data.join("lease.sock").exists());
}

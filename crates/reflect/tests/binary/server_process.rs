//! Starting, stopping and killing the binary.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crate::http::Http;

/// How long anything may take that should be quick. Generous, since a debug build may share its machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The binary, with none of our own settings in its environment.
pub(crate) fn reflect() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reflect"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("REFLECT_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// `reflect serve` on a free port over `data`, which tries no lesson by chance.
pub(crate) fn serve(data: &Path) -> Command {
    let mut command = reflect();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).env("REFLECT_TRIAL_SHARE", "0");
    command
}

/// What a command that ended by itself left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Its standard output; it must have ended well.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert!(self.status.success(), "{self:?}");
        self.stdout
    }

    /// Its standard error; it must have ended with status 1 to 3, not by a signal.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert!(matches!(self.status.code(), Some(1..=3)), "{self:?}");
        self.stderr
    }
}

/// Runs a command to its end, or kills it and fails when it does not come to one.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Ended {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let stdout = drain(child.stdout.take().expect("stdout is piped"));
    let stderr = drain(child.stderr.take().expect("stderr is piped"));
    let Some(status) = wait(&mut child) else {
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        panic!("{command:?} did not end by itself: {}", stderr.join().unwrap());
    };
    Ended { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// A running `reflect serve`. Dropping it kills it.
pub(crate) struct ServerProcess {
    child: Child,
    /// What it printed before it listened.
    pub(crate) said: Vec<String>,
    pub(crate) url: String,
    data: PathBuf,
    log: Option<JoinHandle<String>>,
}

impl ServerProcess {
    /// Starts a server over `data` and waits until it listens.
    #[track_caller]
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(data, &mut serve(data))
    }

    /// The same with a command of one's own.
    #[track_caller]
    pub(crate) fn start_with(data: &Path, command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let log = drain(child.stderr.take().expect("stderr is piped"));
        let lines = lines(child.stdout.take().expect("stdout is piped"));
        let mut server = Self { child, said: Vec::new(), url: String::new(), data: data.to_owned(), log: Some(log) };
        if let Err(why) = server.wait_until_listening(&lines) {
            let log = server.kill();
            panic!("the server does not listen: {why}\n{log}");
        }
        server
    }

    fn wait_until_listening(&mut self, lines: &Receiver<String>) -> Result<(), RecvTimeoutError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))?;
            if let Some(url) = line.strip_prefix("listening on ") {
                self.url = url.to_owned();
                return Ok(());
            }
            self.said.push(line);
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The master key from the data folder.
    pub(crate) fn key(&self) -> String {
        let key = std::fs::read_to_string(self.data.join("master.key")).expect("the master key is kept");
        key.trim().to_owned()
    }

    /// A client with the master key.
    pub(crate) fn client(&self) -> Http {
        Http::new(&self.url, &self.key())
    }

    /// A client with another key.
    pub(crate) fn client_with(&self, key: &str) -> Http {
        Http::new(&self.url, key)
    }

    /// Ends it with SIGKILL and answers what it logged.
    pub(crate) fn kill(&mut self) -> String {
        // Fails only if it has ended already, which is as well.
        let _ = self.child.kill();
        self.child.wait().expect("it ends");
        self.log.take().map(|log| log.join().unwrap()).unwrap_or_default()
    }

    /// Sends a signal.
    pub(crate) fn send(&self, signal: &str) {
        send(signal, self.pid());
    }

    /// Sends a signal and waits until the process has ended. Answers how, and what it logged.
    #[track_caller]
    pub(crate) fn stop(self, signal: &str) -> (ExitStatus, String) {
        self.send(signal);
        self.end()
    }

    /// Waits until the process has ended by itself. Answers how, and what it logged.
    #[track_caller]
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let status = wait(&mut self.child).expect("the server ends");
        (status, self.log.take().map(|log| log.join().unwrap()).unwrap_or_default())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let log = self.kill();
        if std::thread::panicking() {
            eprintln!("the server's log:\n{log}");
        }
    }
}

/// Asks again and again until `answer` gives something, and fails when that takes too long.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn send(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(sent.expect("there is a `kill` command").success());
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Reads to the end beside us, so that a full pipe never stops the process.
fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

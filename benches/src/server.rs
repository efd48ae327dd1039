//! The real server, as a process of its own.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context;
use reqwest::{Method, Url};
use serde_json::{Value, json};

/// Opens every project.
pub(crate) const MASTER_KEY: &str = "rf_live_master_of_the_benchmark";

/// A running server. It is stopped when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// A key of the project `bench` that may write traces.
    pub(crate) key: String,
}

impl Server {
    pub(crate) fn start(data: &Path) -> anyhow::Result<Self> {
        Self::start_with(data, &[])
    }

    /// Starts another binary.
    pub(crate) fn start_other(binary: &OsStr, data: &Path) -> anyhow::Result<Self> {
        let mut command = serve_with(binary);
        command.arg("--data").arg(data);
        Self::spawn(command)
    }

    /// Starts it with these settings of its environment.
    pub(crate) fn start_with(data: &Path, settings: &[(&str, String)]) -> anyhow::Result<Self> {
        let mut command = serve()?;
        command.arg("--data").arg(data).envs(settings.iter().map(|(name, value)| (name, value)));
        Self::spawn(command)
    }

    /// Starts one over the PostgreSQL database at this URL.
    pub(crate) fn start_over(url: &str) -> anyhow::Result<Self> {
        let mut command = serve()?;
        command.env("REFLECT_DATABASE_URL", url);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let stdout = BufReader::new(child.stdout.take().context("the server has no standard output")?);
        let listening = stdout
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned));
        let address = listening.context("the server did not start")?;
        let mut server = Self { child, address, key: MASTER_KEY.to_owned() };
        let wish = json!({"label": "bench", "scopes": ["trace:write", "memory:read"]});
        let created = server.call(Method::POST, "api-keys", wish.to_string())?;
        server.key = created.get("api_key").and_then(Value::as_str).context("no key was made")?.to_owned();
        Ok(server)
    }

    /// Ends it without asking.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn terminate(mut self) -> anyhow::Result<()> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        anyhow::ensure!(asked.success(), "SIGTERM could not be sent");
        let ended = self.child.wait()?;
        anyhow::ensure!(ended.success(), "the server ended with {ended}");
        Ok(())
    }

    /// Whether any trace still waits for its lesson.
    pub(crate) fn has_pending_traces(&self) -> anyhow::Result<bool> {
        let traces = self.call(Method::GET, "traces?review_status=pending&limit=1&view=summary", String::new())?;
        Ok(traces.as_array().is_some_and(|traces| !traces.is_empty()))
    }

    /// One call in the project, on a connection of its own, and the JSON that it is answered.
    pub(crate) fn call(&self, method: Method, path: &str, body: String) -> anyhow::Result<Value> {
        self.send(method, &format!("v1/projects/bench/{path}"), body)
    }

    /// The vector instructions that it computes with.
    pub(crate) fn kernel(&self) -> anyhow::Result<String> {
        let ready = self.send(Method::GET, "ready", String::new())?;
        Ok(ready.get("kernel").and_then(Value::as_str).unwrap_or("not said").to_owned())
    }

    fn send(&self, method: Method, path: &str, body: String) -> anyhow::Result<Value> {
        let url = Url::parse(&format!("http://{}/{path}", self.address))?;
        let request = reflect_http::client_for(&url, |builder| builder)?
            .request(method, url)
            .bearer_auth(&self.key)
            .header("Content-Type", "application/json")
            .body(body);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let body = runtime.block_on(async { request.send().await?.error_for_status()?.bytes().await })?;
        Ok(serde_json::from_slice(&body)?)
    }

    /// The memory that the process holds, and the most that it held so far.
    pub(crate) fn resident(&self) -> anyhow::Result<Resident> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let megabytes = |name: &str| {
            let line =
                status.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no `{name}`"))?;
            let kib: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
            anyhow::Ok(kib * 1_024.0 / 1e6)
        };
        Ok(Resident { now: megabytes("VmRSS:")?, most: megabytes("VmHWM:")? })
    }
}

fn serve() -> anyhow::Result<Command> {
    Ok(serve_with(&std::env::var_os("REFLECT_BIN").context("set REFLECT_BIN to the server's release binary")?))
}

/// On the cores that `REFLECT_BENCH_CORES` names as `taskset` does, so that a database and those who ask can have others.
fn serve_with(binary: &OsStr) -> Command {
    let mut command = match std::env::var_os("REFLECT_BENCH_CORES") {
        Some(cores) => {
            let mut command = Command::new("taskset");
            command.arg("--cpu-list").arg(cores).arg(binary);
            command
        }
        None => Command::new(binary),
    };
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--queue-max-age", "86400"]);
    command.env("REFLECT_MASTER_KEY", MASTER_KEY);
    command
}

/// In megabytes, of a million bytes each.
#[derive(Clone, Copy)]
pub(crate) struct Resident {
    now: f64,
    most: f64,
}

impl std::fmt::Display for Resident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} MB resident, {:.0} at most so far", self.now, self.most)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The real server, as a process of its own.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context;
use serde_json::{Value, json};

const MASTER_KEY: &str = "rf_live_master_of_the_benchmark";

/// A running server. It is stopped when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// A key of the project `bench` that may write traces.
    pub(crate) key: String,
}

impl Server {
    pub(crate) fn start(data: &Path) -> anyhow::Result<Self> {
        let binary = std::env::var_os("REFLECT_BIN").context("set REFLECT_BIN to the server's release binary")?;
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--queue-max-age", "86400", "--data"])
            .arg(data)
            .env("REFLECT_MASTER_KEY", MASTER_KEY)
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = BufReader::new(child.stdout.take().context("the server has no standard output")?);
        let listening = stdout
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned));
        let mut server = Self { child, address: listening.context("the server did not start")?, key: String::new() };
        let wish = json!({"label": "bench", "scopes": ["trace:write", "memory:read"]});
        let url = format!("http://{}/v1/projects/bench/api-keys", server.address);
        let mut created = ureq::post(&url).header("Authorization", format!("Bearer {MASTER_KEY}")).send_json(wish)?;
        let created: Value = created.body_mut().read_json()?;
        server.key = created.get("api_key").and_then(Value::as_str).context("no key was made")?.to_owned();
        Ok(server)
    }

    /// Whether any trace still waits for its lesson.
    pub(crate) fn has_pending_traces(&self) -> anyhow::Result<bool> {
        let url =
            format!("http://{}/v1/projects/bench/traces?review_status=pending&limit=1&view=summary", self.address);
        let mut answer = ureq::get(&url).header("Authorization", format!("Bearer {}", self.key)).call()?;
        let traces: Vec<Value> = answer.body_mut().read_json()?;
        Ok(!traces.is_empty())
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

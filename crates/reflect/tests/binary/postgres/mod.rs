//! Servers over a real PostgreSQL, which tests stop and start as they like.
//!
//! `cargo xtask test postgres` runs them, with the Python whose environment holds PostgreSQL in `REFLECT_TEST_POSTGRES_PYTHON`.

mod agreement;
mod copy;
mod outages;
mod start;

use std::{
    io::{BufRead, BufReader, Lines, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::{
    http::Http,
    server_process::{ServerProcess, reflect},
};

const MASTER_KEY: &str = "rf_live_master_of-the-postgres-tests";
const PROJECT: &str = "/v1/projects/default";

/// A PostgreSQL of one's own. It ends when this is dropped.
pub(crate) struct Postgres {
    child: Child,
    stdin: Option<ChildStdin>,
    said: Lines<BufReader<ChildStdout>>,
    url: String,
    psql: String,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let python = std::env::var("REFLECT_TEST_POSTGRES_PYTHON").expect("`cargo xtask test postgres` runs this");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let mut command = Command::new(python);
        command.arg("tools/postgres/run.py").current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || said.next().expect("PostgreSQL starts").unwrap();
        let (url, psql) = (line(), line());
        Self { child, stdin, said, url, psql }
    }

    /// `stop` or `restart` (both break all connections, as a crash would) or `start`. Answers once that is done.
    pub(crate) fn tell(&mut self, command: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{command}").unwrap();
        assert_eq!(self.said.next().unwrap().unwrap(), "done", "{command}");
    }

    /// Runs a statement, and answers what `psql` prints.
    fn ask(&self, sql: &str) -> String {
        let mut psql = Command::new(&self.psql);
        psql.args(["--quiet", "--no-psqlrc", "--no-align", "--tuples-only", "--command", sql, &self.url]);
        // A database that was made read-only can be made writable again.
        let output = psql.env("PGOPTIONS", "-c default_transaction_read_only=off").output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// `reflect serve` over it, which tries no lesson by chance.
    fn serve(&self) -> Command {
        let mut command = reflect();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.env("REFLECT_DATABASE_URL", &self.url).env("REFLECT_MASTER_KEY", MASTER_KEY);
        command.env("REFLECT_TRIAL_SHARE", "0");
        command
    }

    /// A server over it, with these arguments more.
    pub(crate) fn server(&self, arguments: &[&str]) -> ServerProcess {
        ServerProcess::start_with(Path::new(""), self.serve().args(arguments))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// A client of the master key.
pub(crate) fn client(server: &ServerProcess) -> Http {
    server.client_with(MASTER_KEY)
}

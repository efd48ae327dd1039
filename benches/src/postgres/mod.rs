//! `ingest --postgres` and `query --postgres`: one, two and three servers over one PostgreSQL, beside one server over a data folder.
//! `retrieval --postgres`: a project that PostgreSQL searches, beside the same project in memory. `copy` moves a data folder there and back, `join`
//! lets a server join a large project.
//!
//! `cargo xtask bench` starts the PostgreSQL, with everything on that makes commits durable, and names it in `REFLECT_BENCH_DATABASE_URL`.

mod copy;
mod ingest;
mod join;
mod pgbench;
mod query;
mod retrieval;

use anyhow::Context;

use crate::server::Server;

pub(crate) use copy::run as copy;
pub(crate) use ingest::run as ingest;
pub(crate) use join::run as join;
pub(crate) use query::run as query;
pub(crate) use retrieval::run as retrieval;

/// How many servers at most.
const SERVERS: usize = 3;

/// A PostgreSQL for benchmarks.
struct Database {
    url: String,
    /// Beside which `pgbench` is.
    psql: String,
}

impl Database {
    fn named() -> anyhow::Result<Self> {
        let variable =
            |name: &str| std::env::var(name).with_context(|| format!("run it with `cargo xtask bench`: no {name}"));
        Ok(Self { url: variable("REFLECT_BENCH_DATABASE_URL")?, psql: variable("REFLECT_BENCH_PSQL")? })
    }

    /// The URL of a new schema.
    fn schema(&self, name: &str) -> anyhow::Result<String> {
        let statement = format!("CREATE SCHEMA {name}");
        let mut psql = std::process::Command::new(&self.psql);
        psql.args(["--quiet", "--no-psqlrc", "--command", &statement, &self.url]);
        anyhow::ensure!(psql.status()?.success(), "`{statement}` failed");
        Ok(format!("{}?options=-csearch_path%3D{name}", self.url))
    }

    /// Servers over a database.
    fn servers(url: &str, count: usize) -> anyhow::Result<Vec<Server>> {
        (0..count).map(|_| Server::start_over(url)).collect()
    }

    /// What it is.
    fn version(&self) -> anyhow::Result<String> {
        let mut psql = std::process::Command::new(&self.psql);
        psql.args(["--no-psqlrc", "--no-align", "--tuples-only", "--command"]);
        psql.args([
            "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')",
        ]);
        let said = psql.arg(&self.url).output()?;
        Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn servers_named(count: usize) -> String {
    if count == 1 { "PostgreSQL, 1 server".to_owned() } else { format!("PostgreSQL, {count} servers") }
}
